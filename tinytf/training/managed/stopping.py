"""Who keeps a program from ending: said while it is waited for, not only when time is over."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from tinytf.training.stragglers import what_it_does

#: Threads that end sooner than that, as nearly all do, are not told of.
PATIENCE_SECONDS = 5.0


@contextmanager
def telling(threads: Callable[[], Iterable[threading.Thread]], grace: float) -> Iterator[None]:
    """If the block lasts, which waits for threads, print once which of them run, and what.

    Args:
      threads: gives those that are waited for. grace: for how many seconds.
    """
    ended = threading.Event()

    def tell() -> None:
        if not ended.wait(PATIENCE_SECONDS):
            running = [thread for thread in threads() if thread.is_alive()]
            texts = [f"\n  {thread.name} {what_it_does(thread)}" for thread in running]
            if texts and not ended.is_set():
                print(
                    f"Waiting for threads to end, for at most {grace:g} seconds "
                    f"(stop_grace_secs):{''.join(texts)}",
                    flush=True,
                )

    if grace <= PATIENCE_SECONDS:
        yield
        return
    teller = threading.Thread(target=tell, name="Supervisor.stop", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
