"""How a server answers a call, whichever way it came: bytes to a method, its answer to bytes.

Both servers, `grpc_server` and `unix_server`, take bytes in and hand them to a `Dispatch`, which
parses them (so a malformed message is a clean INVALID_ARGUMENT), calls the method, and gives the
answer, or what failed, to a `Reply`. A method that cannot answer yet returns a `Pending`: no thread
waits for it, and the reply comes from the thread that completes it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from tinytf.distributed.limits import USUAL, Limits
from tinytf.distributed.wire import framing
from tinytf.distributed.wire.wire_errors import is_derived, text_for_peer
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import (
    CancelledError,
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
)
from tinytf.framework.pending import Pending

_log = logging.getLogger(__name__)
#: Answers a parsed request, maybe with a `Pending`; the cancellation is that of the call.
Method = Callable[[Any, CancellationManager], Any]
#: path -> (class of the request message, or what makes a request of bytes; method)
Services = dict[str, tuple[Callable[..., Any], Method]]


class Failure(NamedTuple):
    """What failed: TensorFlow's and gRPC's code, the text, whether another task tells the cause."""

    code: int
    text: str
    is_derived: bool


#: Takes the answer, in pieces, or the failure; called once, on any thread.
Reply = Callable[[list[Any], Failure | None], None]


class Dispatch:
    """What a server answers. Thread-safe.

    Args:
      services: what is served. limits: how many calls are answered at a time.
      several: what is served where a request may have several answers; its methods return a list
        of them, in which there may be errors.
    """

    def __init__(self, services: Services, limits: Limits = USUAL, several: Services | None = None):
        self.services, self.limits, self._several = services, limits, several or {}
        self._lock = threading.Lock()
        self._open = 0  # guarded by self._lock

    def answer(self, path: str, data: Any, withdrawn: CancellationManager, reply: Reply) -> None:
        """Answer a call on this thread, which may wait, or let the answer come later.

        Args:
          path: of the method. data: bytes, or memory, of the request.
          withdrawn: is cancelled when the client does not want the answer any more.
        """
        service = self.services.get(path)
        self._answer(service, data, withdrawn, (reply,), lambda answer: (answer,))

    def answer_several(
        self, path: str, data: Any, withdrawn: CancellationManager, replies: Sequence[Reply]
    ) -> None:
        """Answer a call that has as many answers as there are `replies`; else as `answer`."""
        self._answer(self._several.get(path), data, withdrawn, replies, lambda answers: answers)

    def _answer(
        self,
        service: tuple[Callable[..., Any], Method] | None,
        data: Any,
        withdrawn: CancellationManager,
        replies: Sequence[Reply],
        answers_of: Callable[[Any], Sequence[Any]],
    ) -> None:
        if service is None:
            _refuse(replies, UnimplementedError("Method not found!"))
            return
        with self._lock:
            is_too_much = self._open >= self.limits.calls
            self._open += not is_too_much
        if is_too_much:
            _refuse(replies, ResourceExhaustedError("Concurrent RPC limit exceeded!"))
            return
        left = len(replies)

        def finish(reply: Reply, answer: Any, error: BaseException | None) -> None:
            nonlocal left
            pieces, failure = _outcome(answer, error)
            with self._lock:
                left -= 1
                self._open -= not left
            if not left:
                withdrawn.detach()
            try:
                reply(pieces, failure)
            except Exception as mistake:  # the thread may be of the step that has the answer
                _log.error("An answer was not sent", exc_info=mistake)

        try:
            kind, method = service
            answers = answers_of(method(framing.read(kind, data), withdrawn))
            if len(answers) != left:
                raise InvalidArgumentError(f"{left} answers were asked for, of {len(answers)}")
        except Exception as error:
            answers = [error] * left
        for reply, answer in zip(replies, answers, strict=True):
            if isinstance(answer, Pending):
                answer.when_done(partial(_pass_on, finish, reply))
            elif isinstance(answer, Exception):
                finish(reply, None, answer)
            else:
                finish(reply, answer, None)


def _pass_on(finish: Callable[..., None], reply: Reply, pending: Pending) -> None:
    finish(reply, pending.result, pending.error)


def _refuse(replies: Sequence[Reply], error: OpError) -> None:
    for reply in replies:
        reply([], _failure(error))


def settled(answer: Any) -> Any:
    """What a method has answered, waited for if need be; who withdraws the call ends the wait."""
    if not isinstance(answer, Pending):
        return answer
    done = threading.Event()
    answer.when_done(lambda pending: done.set())
    done.wait()
    return answer.get()


def _outcome(answer: Any, error: BaseException | None) -> tuple[list[Any], Failure | None]:
    if error is None:
        try:
            return framing.pieces(answer), None
        except Exception as found:
            error = found
    return [], _failure(error)


def _failure(error: BaseException) -> Failure:
    if isinstance(error, MemoryError):
        error = ResourceExhaustedError(f"MemoryError: {error}")
    elif not isinstance(error, OpError):
        _log.error("A call failed unexpectedly", exc_info=error)
        error = InternalError(f"{type(error).__name__}: {error}")
    return Failure(error.error_code, text_for_peer(error), is_derived(error))


def withdraw(cancellation: CancellationManager) -> None:
    """The client of a call has gone, or does not want the answer any more."""
    cancellation.start_cancel(CancelledError("Step was cancelled: its client withdrew the call."))
