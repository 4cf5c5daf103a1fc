"""Static frames: which loop each operation belongs to.

`Enter` opens a frame (one execution of a loop's body and condition), `Exit` leads out of it;
everything else is in the frame of its inputs. TensorFlow: BuildControlFlowInfo in
core/graph/control_flow.cc.
"""

from __future__ import annotations

from collections.abc import Iterable

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor

#: The frame names from the outermost loop to the innermost; () is the root frame.
FrameKey = tuple[bytes, ...]
ROOT: FrameKey = ()

ENTER = frozenset({"Enter", "RefEnter"})
EXIT = frozenset({"Exit", "RefExit"})
SWITCH = frozenset({"Switch", "RefSwitch"})
MERGE = frozenset({"Merge", "RefMerge"})
NEXT_ITERATION = frozenset({"NextIteration", "RefNextIteration"})
#: Nobody nests as many; a hostile graph would keep a server busy with it.
MOST_LOOPS = 100
CONTROL_FLOW = ENTER | EXIT | SWITCH | MERGE | NEXT_ITERATION


def output_frame(op: Operation, frame: FrameKey) -> FrameKey:
    """The frame in which the outputs of an operation of `frame` live."""
    if op.type in ENTER:
        return (*frame, op.attrs["frame_name"])
    return frame[:-1] if op.type in EXIT else frame


def assign_frames(ops: Iterable[Operation], fed: frozenset[Tensor]) -> dict[Operation, FrameKey]:
    """The frame of every operation; `ops` in topological order.

    Raises:
      InvalidArgumentError: if an operation has inputs from different frames, leaves a loop it
        never entered, or is in very many.
    """
    frames: dict[Operation, FrameKey] = {}
    for op in ops:
        frame: FrameKey | None = None
        for source in [t.op for t in op.inputs if t not in fed] + list(op.control_inputs):
            if source not in frames:  # the back edge of a loop
                continue
            candidate = output_frame(source, frames[source])
            if frame is not None and frame != candidate:
                raise InvalidArgumentError(
                    f"The node '{op.name}' has inputs from different frames: {_text(frame)} and "
                    f"{_text(candidate)} (through '{source.name}'). A value from outside a loop "
                    f"must enter it through the loop's own tf.while_loop arguments.\n"
                    f"{op.describe_origin()}",
                    op,
                )
            frame = candidate
        frames[op] = ROOT if frame is None else frame
        if len(frames[op]) > MOST_LOOPS:  # what follows takes time with the depth's cube
            raise InvalidArgumentError(
                f"The node '{op.name}' is in more than {MOST_LOOPS} loops inside each other.\n"
                f"{op.describe_origin()}",
                op,
            )
        if op.type in EXIT and frames[op] == ROOT:
            raise InvalidArgumentError(
                f"The Exit node '{op.name}' is not inside a loop.\n{op.describe_origin()}", op
            )
    return frames


def _text(frame: FrameKey) -> str:
    return "/".join(name.decode() for name in frame) or "the root frame"


# Numbers of frames ------------------------------------------------------------------------------

_MASK = (1 << 64) - 1
_MULTIPLIER = 0xC6A4A7935BD1E995
_SEED = 0xDECAFCAFFE


def frame_number(parent: int, iteration: int, name: bytes) -> int:
    """The number by which the tasks of a step know one execution of a loop.

    Args:
      parent, iteration: where the loop is entered: its frame's number (the root's is 0), and the
        iteration there. name: the loop's `frame_name`.

    TensorFlow: `PropagatorState::FindOrCreateChildFrame`, `Hash64`, `Hash64Combine`.
    """
    return _combine(parent, _combine(iteration, _hash64(name)))


def _combine(a: int, b: int) -> int:
    return a ^ ((b + 0x9E3779B97F4A7800 + (a << 10) + (a >> 4)) & _MASK)


def _hash64(data: bytes) -> int:
    """MurmurHash2 for 64 bits, by Austin Appleby, of a public domain algorithm."""
    result = _SEED ^ (len(data) * _MULTIPLIER & _MASK)
    whole = len(data) & ~7
    for start in range(0, whole, 8):
        word = int.from_bytes(data[start : start + 8], "little") * _MULTIPLIER & _MASK
        word = (word ^ (word >> 47)) * _MULTIPLIER & _MASK
        result = (result ^ word) * _MULTIPLIER & _MASK
    if whole < len(data):
        result = (result ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _MASK
    result = (result ^ (result >> 47)) * _MULTIPLIER & _MASK
    return result ^ (result >> 47)
