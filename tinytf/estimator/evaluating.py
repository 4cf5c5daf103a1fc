"""One evaluation: a checkpoint, batch after batch, and in the end the metrics.

Mirrors a part of tensorflow/python/training/evaluation.py, and what
tensorflow_estimator/python/estimator/estimator.py writes for TensorBoard.
"""

from __future__ import annotations

import logging
import time
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tinytf.framework import dtypes
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scope_functions import control_dependencies
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor_value import make_tensor_proto
from tinytf.ops.array.identity import identity
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.scope import get_variable
from tinytf.ops.variables.state import assign_add
from tinytf.protos.summary_pb2 import Summary
from tinytf.summary.file_writer import FileWriterCache
from tinytf.training.hooks.final_ops import FinalOpsHook
from tinytf.training.hooks.session_run_hook import SessionRunArgs, SessionRunHook
from tinytf.training.managed.monitored_session import MonitoredSession
from tinytf.training.managed.session_creators import ChiefSessionCreator

_logger = logging.getLogger("tinytf")
#: After so many batches of an evaluation without a limit, the log says what may be wrong.
_MANY = 10_000


class StopAfterEvals(SessionRunHook):
    """Ends an evaluation after so many batches, and logs how far it is.

    Args:
      number: of batches; None: until the input ends.
    """

    #: Set by `evaluate_once`: how many there have been.
    completed: Any = None

    def __init__(self, number: int | None):
        self._number = number
        self._every = 1 if number is None or number < 20 else number // 10

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self.completed)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        done = int(run_values.results)
        if self._number is None:
            if done == _MANY:
                _logger.warning(
                    "This evaluation has taken %d batches, and its input has not ended. Without "
                    "steps=... it ends with the input: numpy_input_fn needs num_epochs=1, and a "
                    "dataset no repeat().",
                    done,
                )
            return
        if done % self._every == 0 or done == self._number:
            _logger.info("Evaluation [%d/%d]", done, self._number)
        if done >= self._number:
            run_context.request_stop()


def eval_step() -> Any:
    """The graph's variable that counts the batches of an evaluation; made if need be.

    TensorFlow: `tf.contrib.training.get_or_create_eval_step`.

    Raises:
      ValueError: if the graph has several.

    Example:
      >>> tf.contrib.training.get_or_create_eval_step()
      <tf.Variable 'eval_step:0' shape=() dtype=int64_ref>
    """
    made = get_default_graph().get_collection(GraphKeys.EVAL_STEP)
    if len(made) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if made:
        return made[0]
    return get_variable(
        "eval_step",
        shape=[],
        dtype=dtypes.int64,
        initializer=Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


def evaluate_once(
    checkpoint_path: str | None,
    master: str,
    scaffold: Any,
    update_op: Any,
    final_ops: dict[str, Any],
    hooks: list[Any],
    config: Any,
) -> dict[str, Any]:
    """Restore a checkpoint (None: initialise), run `update_op` until the end; the final values."""
    step = eval_step()
    ops = [update_op, assign_add(step, 1, use_locking=True)]
    with control_dependencies(ops):
        completed = identity(step.read_value())
    for hook in hooks:
        if isinstance(hook, StopAfterEvals):
            hook.completed = completed
    _logger.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%S"))
    began = time.monotonic()
    creator = ChiefSessionCreator(
        scaffold, master, config, checkpoint_filename_with_path=checkpoint_path
    )
    final = FinalOpsHook(final_ops)
    with MonitoredSession(creator, [*hooks, final]) as session:
        while not session.should_stop():
            session.run(ops)
    _logger.info("Inference Time : %.5fs", time.monotonic() - began)
    _logger.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S"))
    values: dict[str, Any] = final.final_ops_values
    return values


def write_results(
    output_dir: str, results: dict[str, Any], step: Any, checkpoint_path: str | None
) -> None:
    """Log the results of an evaluation, and write them for TensorBoard."""
    shown = [f"{k} = {v!s}" for k, v in sorted(results.items()) if not isinstance(v, bytes)]
    _logger.info("Saving dict for global step %d: %s", step, ", ".join(shown))
    writer, summary = FileWriterCache.get(output_dir), Summary()
    for tag, value in results.items():
        if tag != GraphKeys.GLOBAL_STEP and value is not None:
            summary.value.extend(_summaries(tag, value))
    writer.add_summary(summary, step)
    writer.flush()
    if checkpoint_path:
        _logger.info(
            "Saving 'checkpoint_path' summary for global step %d: %s", step, checkpoint_path
        )
        tensor = make_tensor_proto(checkpoint_path, dtype=dtypes.string)
        value = Summary.Value(tag="checkpoint_path", tensor=tensor)
        writer.add_summary(Summary(value=[value]), step)
        writer.flush()


def _summaries(tag: str, value: Any) -> list[Any]:
    if isinstance(value, float | np.float32 | int | np.int32 | np.int64):
        return [Summary.Value(tag=tag, simple_value=float(value))]
    if isinstance(value, np.ndarray):
        return [Summary.Value(tag=tag, node_name=tag, tensor=make_tensor_proto(value))]
    if isinstance(value, bytes):
        try:
            found = list(Summary.FromString(value).value)
        except DecodeError:
            found = []
        for number, each in enumerate(found):
            each.tag = f"{tag}/{number}"
        if found:
            return found
    _logger.warning(
        "Skipping summary for %s, must be a float, np.float32, np.int64, np.int32 or int or "
        "np.ndarray or a serialized string of Summary. It is %r.",
        tag,
        type(value).__name__,
    )
    return []
