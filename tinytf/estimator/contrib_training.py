"""`tf.contrib.training`: loops that train and evaluate, without an estimator.

Mirrors contrib/training's training.py and evaluation.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tinytf.estimator.evaluating import StopAfterEvals
from tinytf.estimator.evaluating import eval_step as get_or_create_eval_step
from tinytf.ops.summary.summaries import merge_all
from tinytf.ops.variables.state import assign_add
from tinytf.summary.file_writer import FileWriterCache
from tinytf.training.global_step import get_or_create_global_step
from tinytf.training.global_step import global_step as read_global_step
from tinytf.training.hooks.final_ops import FinalOpsHook
from tinytf.training.hooks.session_run_hook import SessionRunHook
from tinytf.training.managed.monitored_session import MonitoredSession
from tinytf.training.managed.session_creators import ChiefSessionCreator
from tinytf.training.managed.training_session import MonitoredTrainingSession

__all__ = ["StopAfterNEvalsHook", "SummaryAtEndHook", "evaluate_once"]
__all__ += ["get_or_create_eval_step", "train"]


def train(
    train_op: Any,
    logdir: str | None,
    master: str = "",
    is_chief: bool = True,
    scaffold: Any = None,
    hooks: Iterable[Any] | None = None,
    chief_only_hooks: Iterable[Any] | None = None,
    save_checkpoint_secs: float | None = 600,
    save_summaries_steps: int | None = 100,
    run_metadata: Any = None,
    **others: Any,
) -> Any:
    """Run a step until a hook or the end of the input stops it (TensorFlow: `tf.contrib.training`).

    Args:
      train_op: what is run, as of `create_train_op`. logdir: the folder; None: nothing is saved,
        and the chief must give None for what says how often.
      run_metadata: filled by each step.
      others: as of `tf.train.MonitoredTrainingSession`.

    Returns:
      the value of the last step.

    Raises:
      ValueError: without a folder for what is to be saved.

    Example:
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> sgd = tf.train.GradientDescentOptimizer(0.25)
      >>> step = tf.contrib.training.create_train_op(w * w, sgd)
      >>> stop = tf.train.StopAtStepHook(num_steps=3)
      >>> float(tf.contrib.training.train(step, "./model", hooks=[stop]))
      1.0
    """
    others |= {"save_summaries_steps": save_summaries_steps}
    others |= {"save_checkpoint_secs": save_checkpoint_secs}
    for name, value in others.items():
        if name.startswith("save_") and value and logdir is None and is_chief:
            raise ValueError(f"logdir cannot be None when {name} is not None")
    loss, given = None, (master, is_chief, logdir, scaffold, hooks, chief_only_hooks)
    with MonitoredTrainingSession(*given, **others) as session:
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss


class StopAfterNEvalsHook(StopAfterEvals):
    """Ends an evaluation after so many batches (TensorFlow: `tf.contrib.training`).

    Args:
      num_evals: of batches; None: until the input ends. log_progress: ignored.

    Example:
      >>> seen = tf.contrib.framework.local_variable(0, name="seen")
      >>> stop = tf.contrib.training.StopAfterNEvalsHook(3)
      >>> how = {"eval_ops": tf.assign_add(seen, 10), "final_ops": seen, "hooks": [stop]}
      >>> int(tf.contrib.training.evaluate_once(None, **how))
      30
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True):
        super().__init__(num_evals)


class SummaryAtEndHook(SessionRunHook):
    """Writes summaries when an evaluation has ended (TensorFlow: `tf.contrib.training`).

    Args:
      log_dir: the folder; or summary_writer: a `tf.summary.FileWriter`.
      summary_op: by default all summaries of the graph. feed_dict: fed to it.

    Raises:
      ValueError: without both.

    Example:
      >>> hook = tf.contrib.training.SummaryAtEndHook("./eval")
    """

    def __init__(
        self,
        log_dir: str | None = None,
        summary_writer: Any = None,
        summary_op: Any = None,
        feed_dict: Any = None,
    ):
        if log_dir is None and summary_writer is None:
            raise ValueError("One of log_dir or summary_writer should be used.")
        self._writer = summary_writer or FileWriterCache.get(str(log_dir))
        self._given, self._feeds = summary_op, feed_dict

    def begin(self) -> None:
        self._summary_op = merge_all() if self._given is None else self._given
        self._step = get_or_create_global_step()

    def end(self, session: Any) -> None:
        if self._summary_op is not None:
            written = session.run(self._summary_op, self._feeds)
            self._writer.add_summary(written, read_global_step(session, self._step))
        self._writer.flush()


def evaluate_once(
    checkpoint_path: str,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Any = None,
    config: Any = None,
) -> Any:
    """Evaluate a checkpoint (TensorFlow: `tf.contrib.training.evaluate_once`).

    Args:
      checkpoint_path: the checkpoint. master, config: as of `tf.Session`.
      scaffold: a `tf.train.Scaffold`.
      eval_ops, feed_dict: what is run until a hook stops it: updates of metrics.
      final_ops, final_ops_feed_dict: what is run at the end: the metrics.
      hooks: a `tf.contrib.training.StopAfterNEvalsHook`, for example.

    Returns:
      the values of `final_ops`.

    Example:
      >>> v = tf.get_variable("v", initializer=3.0)
      >>> sess.run(v.initializer)
      >>> path = tf.train.Saver().save(sess, "./model")
      >>> value, update = tf.metrics.mean(v)
      >>> stop = tf.contrib.training.StopAfterNEvalsHook(2)
      >>> how = {"eval_ops": update, "final_ops": value, "hooks": [stop]}
      >>> float(tf.contrib.training.evaluate_once(path, **how))
      3.0
    """
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    counted = assign_add(get_or_create_eval_step(), 1, use_locking=True)
    for hook in hooks or ():
        if isinstance(hook, StopAfterEvals):
            hook.completed = counted
    run = None if eval_ops is None else [eval_ops, counted]
    path = checkpoint_path
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_filename_with_path=path)
    with MonitoredSession(creator, [*(hooks or ()), final]) as session:
        while run is not None and not session.should_stop():
            session.run(run, feed_dict)
    return final.final_ops_values
