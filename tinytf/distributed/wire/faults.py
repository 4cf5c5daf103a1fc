"""Faults of the network, on purpose: what delays and loses the calls that this process makes.

A table says for the address of each peer how long a call to it is held back, or that calls to it
are lost. The transport asks it before it sends a request (`before_call`, `held`) and before it
hands on an answer (`before_answer`). A lost message makes no noise: who waits for it waits until
its deadline, or until the network is healed, as packets are sent again until they arrive.

The table of a task in a local cluster is told to it by the program that started it, over a pipe
that only these two have: never over a port. It belongs to the process, as a network card does.
Who calls is held up, not who is called: in a local cluster all tasks and the program that made it
have a table. A client from elsewhere has none, and is not held up.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, TextIO

from tinytf.framework.errors import DeadlineExceededError

#: How long a server of this machine takes at most to show that it is there.
SECONDS_TO_SEE = 0.3
#: A delay that never ends: the messages are lost.
LOST = math.inf

#: The garbage collector may end a cluster, and so call `update`, in the middle of all this.
_lock = threading.RLock()
#: who said it -> peer's address -> seconds, or LOST; guarded by _lock
_said: dict[Any, dict[str, float]] = {}
#: all of it together; replaced as a whole, so it can be read without the lock
_seconds: dict[str, float] = {}
#: messages that are held back; guarded by _lock
_held: set[Held] = set()


def update(source: Any, seconds: Mapping[str, float]) -> None:
    """Replace what `source` said about peers.

    Args:
      source: who says it (hashable). seconds: address -> how long each call to it is held back;
        LOST: for ever. Addresses that are not named are reached as ever.

    What is held back goes on as soon as nothing stands in its way any more.
    """
    global _seconds
    with _lock:
        _said[source] = {_key(address): value for address, value in seconds.items()}
        if not seconds:
            _said.pop(source, None)
        total: dict[str, float] = {}
        for table in list(_said.values()):
            for address, value in table.items():
                total[address] = total.get(address, 0.0) + value
        _seconds = total
        held = list(_held)
    for message in held:
        message.look_again()


def before_call(address: str, timeout: float | None) -> float | None:
    """Wait as long as a request to `address` is held back.

    Args:
      timeout: seconds for the whole call, or None.

    Returns:
      when the call has to be over, on the clock of time.monotonic; None: whenever. See `left`.

    Raises:
      DeadlineExceededError: if the request is still held back then.
    """
    end = None if timeout is None else time.monotonic() + timeout
    if _seconds:
        _pass(address, end, answer=False)
    return end


def before_answer(address: str, end: float | None) -> None:
    """Wait while an answer from `address` is lost; `end` as `before_call` returned it.

    Raises:
      DeadlineExceededError: if it still is at `end`.
    """
    if _seconds:
        _pass(address, end, answer=True)


def concern(address: str) -> bool:
    """Whether messages to `address`, or answers from it, may be held back now."""
    return bool(_seconds) and _key(address) in _seconds


def left(end: float | None) -> float | None:
    """The seconds until `end`, or None."""
    return None if end is None else max(0.0, end - time.monotonic())


def at_most(seconds: float, end: float | None) -> float:
    """So long, or until `end`; but long enough for a server that is there."""
    return seconds if end is None else min(seconds, max(end - time.monotonic(), SECONDS_TO_SEE))


def held(
    address: str,
    go: Callable[[], None],
    late: Callable[[], None],
    timeout: float | None,
    answer: bool,
) -> Held | None:
    """Hold a message back, if it has to be: the form of `before_call` that does not wait.

    Args:
      go: called, on any thread, when the message may pass. late: called instead if it may not
        within `timeout` seconds.
      answer: whether it is an answer: these are lost with the requests, but not delayed again.

    Returns:
      None: nothing stands in the way. Otherwise the message: nothing is called before its
      `look_again` was called, and then one of the two, unless `cancel` came first.
    """
    seconds = _seconds.get(_key(address), 0.0) if _seconds else 0.0
    if not seconds or (answer and seconds != LOST):
        return None
    message = Held(_key(address), go, late, timeout, answer)
    with _lock:
        _held.add(message)
    return message


class Held:
    """A message that is held back; made by `held`."""

    def __init__(
        self,
        address: str,
        go: Callable[[], None],
        late: Callable[[], None],
        timeout: float | None,
        answer: bool,
    ):
        self._address, self._go, self._late, self._answer = address, go, late, answer
        self._since = time.monotonic()
        self._timeout = LOST if timeout is None else timeout
        self._timer: threading.Timer | None = None  # guarded by _lock

    def cancel(self) -> bool:
        """Give the message up; whether it was still held back."""
        with _lock:
            waiting = self in _held
            _held.discard(self)
            self._stop_timer()
        return waiting

    def look_again(self) -> None:
        """The table may be new: pass now, or later, or wait for the next table."""
        with _lock:
            if self not in _held:
                return
            self._stop_timer()
            seconds = _seconds.get(self._address, 0.0)
            if self._answer and seconds != LOST:
                seconds = 0.0
            ends_with, call = min((seconds, self._go), (self._timeout, self._late), key=_first)
            left = self._since + ends_with - time.monotonic()
            if left > 0:
                if ends_with != LOST:
                    self._timer = threading.Timer(left, self._end, (call,))
                    self._timer.daemon = True
                    self._timer.start()
                return
        self._end(call)

    def _end(self, call: Callable[[], None]) -> None:
        if self.cancel():
            call()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _first(pair: tuple[float, Any]) -> float:
    return pair[0]


def _pass(address: str, end: float | None, answer: bool) -> None:
    over = threading.Event()
    in_time: list[bool] = []

    def go() -> None:
        in_time.append(True)
        over.set()

    message = held(address, go, over.set, left(end), answer)
    if message is None:
        return
    try:
        message.look_again()
        over.wait()
    finally:
        message.cancel()  # also when an interrupt ended the wait
    if not in_time:
        text = f"Deadline Exceeded: grpc://{address} did not answer in time"
        raise DeadlineExceededError(f"{text}: its calls are lost or late on purpose.")


def _key(address: str) -> str:
    """One spelling for the addresses of this machine."""
    host, _, port = address.rpartition(":")
    return f"localhost:{port}" if host.startswith("127.") or host == "[::1]" else address


# ---------------------------------------------------------------- the two ends of the private pipe


def as_line(number: int, seconds: Mapping[str, float]) -> bytes:
    """A table as the program that started a task tells it."""
    lost = [address for address, value in seconds.items() if value == LOST]
    late = {address: value for address, value in seconds.items() if value != LOST}
    return json.dumps({"number": number, "late": late, "lost": lost}).encode() + b"\n"


def obey(control: BinaryIO, report: TextIO) -> None:
    """Take over the tables that come through the pipe `control`; returns at its end.

    Each is confirmed with its number, in a line to `report`.
    """
    while obey_once(control, report):
        pass


def obey_once(control: BinaryIO, report: TextIO) -> bool:
    """Take over the next table; whether there was one."""
    line = control.readline()
    if not line:
        return False
    said = json.loads(line)
    update(
        "the program that started this task", {**said["late"], **dict.fromkeys(said["lost"], LOST)}
    )
    print(said["number"], file=report, flush=True)
    return True
