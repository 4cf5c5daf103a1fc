"""Interrupts, as a user sends them."""

import signal
import threading
from collections.abc import Callable, Generator

import pytest

from tests.interrupts import is_lost


@pytest.fixture
def interrupt_when() -> Generator[Callable[[Callable[[], object]], None]]:
    """Interrupts this thread with a real signal, once a function has returned in another thread.

    A signal that comes between Python's last look for one and the wait itself would be seen only
    when the wait is over, and one in a callback of the garbage collector is lost: so it is sent
    until it has arrived.
    """
    arrived = threading.Event()

    def handle(number, frame):
        if not arrived.is_set() and not is_lost(frame):
            arrived.set()
            raise KeyboardInterrupt

    def send(until):
        until()
        while not arrived.is_set():
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            arrived.wait(0.005)

    threads = []

    def interrupt_when(until):
        threads.append(threading.Thread(target=send, args=(until,), daemon=True))
        threads[-1].start()

    before = signal.signal(signal.SIGINT, handle)
    yield interrupt_when
    for thread in threads:
        thread.join()
    signal.signal(signal.SIGINT, before)
