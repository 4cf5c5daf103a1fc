"""The errors of a step, as in `tensorflow/python/framework/errors_impl.py`.

    Exception
     └ OpError                      .op  .node_def  .message  .error_code
        ├ CancelledError         1  ├ ResourceExhaustedError  8  ├ UnimplementedError   12
        ├ UnknownError           2  ├ FailedPreconditionError 9  ├ InternalError        13
        ├ InvalidArgumentError   3  ├ AbortedError           10  ├ UnavailableError     14
        ├ DeadlineExceededError  4  ├ OutOfRangeError        11  ├ DataLossError        15
        ├ NotFoundError          5  ├ AlreadyExistsError      6  ├ PermissionDeniedError 7
        └ UnauthenticatedError  16

The numbers are TensorFlow's, and those of gRPC. A kernel raises one of these with a message;
the executor adds the operation, its NodeDef and the user's line (`with_operation`).
Mistakes found while the graph is built are Python's own ValueError and TypeError, as in TensorFlow.
"""

from __future__ import annotations

import re
from typing import Any

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An error raised by the execution of a graph: `OpError(message)`, `OpError(message, op)`.

    TensorFlow's order, `OpError(node_def, op, message)`, means the same.

    Args:
      node_def: the message; with three arguments the `NodeDef` that failed, or None.
      op: the `Operation` that failed, or None when it is not in the client's graph.
      message: what went wrong.
      error_code: one of the numbers above.

    Example:
      >>> try:
      ...     tf.gather([1, 2], tf.placeholder_with_default(5, [])).eval()
      ... except tf.OpError as error:
      ...     print(type(error).__name__, error.error_code, error.op.type)
      InvalidArgumentError 3 GatherV2
    """

    error_code = UNKNOWN

    def __init__(
        self,
        node_def: Any,
        op: Any = None,
        message: str | None = None,
        error_code: int | None = None,
    ):
        if message is None:
            node_def, message = None, node_def
        super().__init__(node_def, op, message)
        self._node_def = node_def
        self._op = op
        self._message = message
        if error_code is not None:
            self.error_code = error_code

    @property
    def message(self) -> str:
        """What went wrong, with the operation's name and the line that built it."""
        return self._message

    @property
    def op(self) -> Any:
        """The `Operation` that failed, if it is in the client's graph."""
        op = self._op  # optimisations run copies: the user knows the original
        return op if op is None else op.graph._by_name.get(op.name, op)

    @property
    def node_def(self) -> Any:
        """The `NodeDef` of the operation that failed, or None."""
        if self._node_def is None and self._op is not None:
            return self._op.node_def
        return self._node_def

    def __str__(self) -> str:
        return self._message

    def __reduce__(self) -> tuple[Any, ...]:
        # Across processes only the text travels: an operation belongs to its graph.
        return type(self), (self._message,)


class CancelledError(OpError):
    """The step, or what it waited for, was cancelled.

    Example:
      >>> tf.errors.CancelledError("the session was closed").error_code  # 1
    """

    error_code = CANCELLED


class UnknownError(OpError):
    """An exception of an unexpected class, for example out of a `py_func`.

    Example:
      >>> tf.errors.UnknownError("out of tea").error_code  # 2
    """

    error_code = UNKNOWN


class InvalidArgumentError(OpError):
    """A value an operation cannot work with: wrong shape, range or content.

    Example:
      >>> try:
      ...     tf.placeholder(tf.float32, name="x").eval()
      ... except tf.errors.InvalidArgumentError as error:
      ...     print(error.error_code, error.op.name)
      3 x
    """

    error_code = INVALID_ARGUMENT


def invalid(message: str) -> InvalidArgumentError:
    """What a kernel raises for wrong input; the executor adds the operation.

    Example:
      >>> tf.errors.invalid("k must be positive, got -1").message
      'k must be positive, got -1'
    """
    return InvalidArgumentError(message)


class DeadlineExceededError(OpError):
    """The step did not finish within `timeout_in_ms`.

    Example:
      >>> tf.errors.DeadlineExceededError("took too long").error_code  # 4
    """

    error_code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """A name that does not exist: an operation, a resource, a file.

    Example:
      >>> tf.errors.NotFoundError("no such file").error_code  # 5
    """

    error_code = NOT_FOUND


class AlreadyExistsError(OpError):
    """A name that exists already.

    Example:
      >>> tf.errors.AlreadyExistsError("made twice").error_code  # 6
    """

    error_code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do that.

    Example:
      >>> tf.errors.PermissionDeniedError("read only").error_code  # 7
    """

    error_code = PERMISSION_DENIED


class ResourceExhaustedError(OpError):
    """Out of memory, or of another bounded resource.

    Example:
      >>> tf.errors.ResourceExhaustedError("out of memory").error_code  # 8
    """

    error_code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The system is not in the state the operation needs: a variable has no value yet, say.

    Example:
      >>> v = tf.Variable(1.0)  # not yet initialized
      >>> try:
      ...     v.eval()
      ... except tf.errors.FailedPreconditionError as error:
      ...     print(error.error_code)
      9
    """

    error_code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The operation was given up, typically because a peer restarted.

    Example:
      >>> tf.errors.AbortedError("the worker restarted").error_code  # 10
    """

    error_code = ABORTED


class OutOfRangeError(OpError):
    """Past the end: of a file, or of a closed and empty queue.

    Example:
      >>> tf.errors.OutOfRangeError("end of file").error_code  # 11
    """

    error_code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """There is no kernel, or no implementation, for this.

    Example:
      >>> tf.errors.UnimplementedError("no kernel").error_code  # 12
    """

    error_code = UNIMPLEMENTED


class InternalError(OpError):
    """A broken invariant of the runtime itself.

    Example:
      >>> tf.errors.InternalError("a bug").error_code  # 13
    """

    error_code = INTERNAL


class UnavailableError(OpError):
    """The service cannot be reached now.

    Example:
      >>> tf.errors.UnavailableError("no answer").error_code  # 14
    """

    error_code = UNAVAILABLE


class DataLossError(OpError):
    """Data is lost or corrupt beyond repair.

    Example:
      >>> tf.errors.DataLossError("checksums differ").error_code  # 15
    """

    error_code = DATA_LOSS


class UnauthenticatedError(OpError):
    """The request carries no valid credentials.

    Example:
      >>> tf.errors.UnauthenticatedError("who are you?").error_code  # 16
    """

    error_code = UNAUTHENTICATED


class InaccessibleTensorError(ValueError):
    """A tensor that cannot be used here: it is inside a conditional or a loop.

    Example:
      >>> issubclass(tf.errors.InaccessibleTensorError, ValueError)  # True
    """


_BY_CODE: dict[int, type[OpError]] = {cls.error_code: cls for cls in OpError.__subclasses__()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class for a code; KeyError if there is none.

    Example:
      >>> tf.errors.exception_type_from_error_code(5) is tf.errors.NotFoundError  # True
    """
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    """The code of a class.

    Example:
      >>> tf.errors.error_code_from_exception_type(tf.errors.NotFoundError)  # 5
    """
    return cls.error_code


def from_code(code: int, message: str, node_def: Any = None, op: Any = None) -> OpError:
    """The error a peer reported as (code, message); unknown codes become UnknownError.

    Example:
      >>> tf.errors.from_code(5, "no such file").message  # "no such file"
    """
    return _BY_CODE.get(code, UnknownError)(node_def, op, message)


def with_operation(error: BaseException, op: Any) -> OpError:
    """`error`, raised while the kernel of `op` ran, as the OpError its user sees.

    The message gains the operation's name and where the user built it. Errors that already
    name an operation are returned as they are.

    Example:
      >>> error = tf.errors.InvalidArgumentError("too large")
      >>> tf.errors.with_operation(error, tf.constant(1, name="c").op).op.name
      'c'
    """
    if isinstance(error, OpError) and error.op is not None:
        return error
    if isinstance(error, OpError):
        cls, message = type(error), error.message
    else:
        cls, message = _class_of_foreign(error), _text_of_foreign(error)
    enriched = cls(f"{message}\n\t [[{{{{node {op.name}}}}}]]\n{op.describe_origin()}", op)
    if isinstance(error, OpError):  # such as that another task tells of it
        enriched.__dict__.update({**error.__dict__, **enriched.__dict__})
    enriched.__cause__ = error if not isinstance(error, OpError) else error.__cause__
    return enriched


def _class_of_foreign(error: BaseException) -> type[OpError]:
    if isinstance(error, MemoryError):
        return ResourceExhaustedError
    if isinstance(error, ValueError | TypeError | ZeroDivisionError | IndexError):
        return InvalidArgumentError
    return UnknownError


#: What numpy's functions say, which are kernels without a word of ours around them.
_NOT_BROADCAST = re.compile(r"operands could not be broadcast together with shapes (.*)")


def _text_of_foreign(error: BaseException) -> str:
    text = str(error)
    unequal = _NOT_BROADCAST.match(text)
    if unequal:
        return "Incompatible shapes: " + " vs. ".join(
            f"[{sizes.rstrip(',')}]" for sizes in re.findall(r"\(([\d,]*)\)", unequal.group(1))
        )
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
