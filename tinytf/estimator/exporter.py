"""What is exported after an evaluation: the latest model, the best one, or the last.

Mirrors tensorflow_estimator/python/estimator/exporter.py.
"""

from __future__ import annotations

import abc
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tinytf.estimator.model_fn import LOSS_METRIC_KEY, argument_names
from tinytf.resources import file_system
from tinytf.summary.reading import summary_iterator

if TYPE_CHECKING:
    from tinytf.estimator.estimator import Estimator

_logger = logging.getLogger("tinytf")
ReceiverFn = Callable[[], Any]


class Exporter(abc.ABC):
    """Called after each evaluation of `train_and_evaluate` (TensorFlow: `tf.estimator.Exporter`).

    Example:
      >>> class Tell(tf.estimator.Exporter):
      ...     name = "tell"
      ...     def export(self, estimator, export_path, checkpoint_path, eval_result,
      ...                is_the_final_export):
      ...         print("loss", eval_result["loss"])
    """

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Of its folder, below "export" in `model_dir`."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Export, or not.

        Args:
          estimator: has been evaluated. export_path: a folder for this exporter.
          checkpoint_path: of the checkpoint. eval_result: its metrics.
          is_the_final_export: whether the training is over.

        Returns:
          the path of what was written; None if nothing was.
        """


class _Call(NamedTuple):
    estimator: Any
    export_path: str
    checkpoint_path: str
    eval_result: dict[str, Any]
    is_the_final_export: bool


class _SavedModelExporter(Exporter):
    """Exports as `Estimator.export_saved_model` does; the arguments are that one's."""

    #: Whether older exports are removed.
    _removes = True

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: ReceiverFn | None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ):
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError(
                f"`exports_to_keep`, if provided, must be a positive number. Got {exports_to_keep}"
            )
        self._name, self._exports_to_keep = name, exports_to_keep
        self._how: Any = (serving_input_receiver_fn, assets_extra, as_text)

    @property
    def name(self) -> str:
        """Of its folder."""
        return self._name

    def export(self, estimator: Estimator, *args: Any, **kwargs: Any) -> Any:
        """Export if it is to be, and remove what is too old."""
        call = _Call(estimator, *args, **kwargs)
        if not self._is_wanted(call):
            return None
        receiver_fn, assets_extra, as_text = self._how
        folder, checkpoint = call.export_path, call.checkpoint_path
        result = estimator.export_saved_model(
            folder, receiver_fn, assets_extra, as_text, checkpoint
        )
        names = [name.rstrip("/") for name in file_system.list_folder(folder)]
        versions = sorted(name for name in names if len(name) == 10 and name.isdigit())
        if self._removes and self._exports_to_keep is not None:
            for version in versions[: -self._exports_to_keep]:
                file_system.remove_tree(os.path.join(folder, version))
        return result

    def _is_wanted(self, call: _Call) -> bool:
        return True


class LatestExporter(_SavedModelExporter):
    """Exports after each evaluation (TensorFlow: `tf.estimator.LatestExporter`).

    Args:
      name: of its folder. serving_input_receiver_fn, assets_extra, as_text: as of
        `Estimator.export_saved_model`.
      exports_to_keep: so many of the latest are kept; None: all.

    Raises:
      ValueError: if that is not positive.

    Example:
      >>> spec = {"x": tf.FixedLenFeature([], tf.float32)}
      >>> receiver_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
      >>> tf.estimator.LatestExporter("latest", receiver_fn).name
      'latest'
    """


class FinalExporter(_SavedModelExporter):
    """Exports once, when the training is over (TensorFlow: `tf.estimator.FinalExporter`).

    It is over when there have been the `max_steps` of the `TrainSpec`.

    Args:
      name, serving_input_receiver_fn, assets_extra, as_text: as of `LatestExporter`.

    Example:
      >>> spec = {"x": tf.FixedLenFeature([], tf.float32)}
      >>> receiver_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
      >>> tf.estimator.FinalExporter("final", receiver_fn).name
      'final'
    """

    _removes = False

    def _is_wanted(self, call: _Call) -> bool:
        if call.is_the_final_export:
            _logger.info("Performing the final export in the end of training.")
        return call.is_the_final_export


def _loss_smaller(best_eval_result: dict[str, Any], current_eval_result: dict[str, Any]) -> bool:
    """Whether the current loss is smaller than the best one's."""
    for name, result in (
        ("best_eval_result", best_eval_result),
        ("current_eval_result", current_eval_result),
    ):
        if not result or LOSS_METRIC_KEY not in result:
            raise ValueError(f"{name} cannot be empty or no loss is found in it.")
    return bool(best_eval_result[LOSS_METRIC_KEY] > current_eval_result[LOSS_METRIC_KEY])


class BestExporter(_SavedModelExporter):
    """Exports when a model is better than all before (TensorFlow: `tf.estimator.BestExporter`).

    Args:
      name: of its folder. serving_input_receiver_fn, assets_extra, as_text, exports_to_keep: as of
        `LatestExporter`.
      event_file_pattern: where earlier evaluations are, below `model_dir`; None: begin anew.
      compare_fn: a function (best_eval_result, current_eval_result): whether the current one is
        better; by default, whether its loss is smaller.

    Raises:
      ValueError: for a function with other arguments.

    Example:
      >>> def compare_fn(best_eval_result, current_eval_result):
      ...     return current_eval_result["accuracy"] > best_eval_result["accuracy"]
      >>> tf.estimator.BestExporter(compare_fn=compare_fn).name
      'best_exporter'
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: ReceiverFn | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = _loss_smaller,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        names = argument_names(compare_fn)
        wanted = ["best_eval_result", "current_eval_result"]
        for missing in (each for each in wanted if each not in names):
            raise ValueError(f"compare_fn ({compare_fn}) must include {missing} argument.")
        if others := [each for each in names if each not in wanted]:
            raise ValueError(f"compare_fn ({compare_fn}) has following not expected args: {others}")
        self._compare_fn, self._pattern = compare_fn, event_file_pattern
        self._best: dict[str, Any] | None = None
        self._model_dir: str | None = None
        self._has_exported = False

    def _is_wanted(self, call: _Call) -> bool:
        result = call.eval_result
        if self._pattern and self._model_dir != call.estimator.model_dir:
            self._model_dir = call.estimator.model_dir
            _logger.info("Loading best metric from event files.")
            self._best = self._best_of_files(os.path.join(self._model_dir, self._pattern))
        if self._best is not None and self._has_exported:
            if not self._compare_fn(best_eval_result=self._best, current_eval_result=result):
                return False
        _logger.info("Performing best model export.")
        self._best, self._has_exported = result, True
        return True

    def _best_of_files(self, pattern: str) -> dict[str, Any] | None:
        best: dict[str, Any] | None = None
        for path in file_system.glob_text(pattern):
            for event in summary_iterator(path):
                values = event.summary.value
                found = {v.tag: v.simple_value for v in values if v.HasField("simple_value")}
                if found and (
                    best is None
                    or self._compare_fn(best_eval_result=best, current_eval_result=found)
                ):
                    best = found
        return best
