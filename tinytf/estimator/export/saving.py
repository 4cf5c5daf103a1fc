"""A trained model as a SavedModel, in a folder whose name is the time.

Mirrors what tensorflow_estimator/python/estimator/estimator.py does to export, and
tensorflow/python/saved_model/model_utils/export_utils.py.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tinytf.estimator.export.outputs import EvalOutput, TrainOutput
from tinytf.estimator.model_fn import EstimatorSpec, ModeKeys
from tinytf.framework.errors import NotFoundError
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.resources import file_system
from tinytf.saved_model.builder import SavedModelBuilder
from tinytf.saved_model.constants import EXTRA_ASSETS_DIRECTORY, TRAIN_OP_KEY
from tinytf.saved_model.signature_def_utils import is_valid_signature
from tinytf.saved_model.tag_constants import SERVING, TRAINING
from tinytf.session.session import Session
from tinytf.training.managed.scaffold import Scaffold
from tinytf.training.saver import Saver

if TYPE_CHECKING:
    from tinytf.estimator.estimator import Estimator

_logger = logging.getLogger("tinytf")
#: By which tags each mode is found; the first mode's variables are written.
_TAGS = {ModeKeys.TRAIN: [TRAINING], ModeKeys.EVAL: ["eval"], ModeKeys.PREDICT: [SERVING]}


def export_all(
    estimator: Estimator,
    export_dir_base: str | os.PathLike[str] | bytes,
    receiver_fns: Mapping[str, Callable[[], Any]],
    assets_extra: Mapping[str, Any] | None,
    as_text: bool,
    checkpoint_path: str,
) -> bytes:
    """Write a SavedModel with a graph for each mode.

    Args:
      estimator: whose model it is. export_dir_base: the folder above.
      receiver_fns: by mode, what makes the placeholders.
      assets_extra: name in the folder "assets.extra" -> path of a file to copy there.
      as_text: whether the graphs are written as text. checkpoint_path: has the variables' values.

    Returns:
      the folder's path.
    """
    modes = [mode for mode in _TAGS if receiver_fns.get(mode)]
    if not modes:
        raise ValueError(f"No valid modes for exporting found. Got {list(receiver_fns)}.")
    base = os.fsdecode(export_dir_base)
    stamp = int(time.time())
    while file_system.exists(os.path.join(base, str(stamp))):
        stamp += 1  # a second one in one second
    final, folder = os.path.join(base, str(stamp)), os.path.join(base, f"temp-{stamp}")
    file_system.make_folders(base)
    builder = SavedModelBuilder(folder)
    for mode in modes:
        with Graph().as_default():
            spec, signatures = _build(estimator, receiver_fns[mode], mode)
            _add(builder, estimator, spec, signatures, checkpoint_path, mode == modes[0], mode)
    builder.save(as_text)
    for name, source in (assets_extra or {}).items():
        destination = os.path.join(folder, EXTRA_ASSETS_DIRECTORY, os.fsdecode(name))
        file_system.make_folders(os.path.dirname(destination))
        file_system.copy(source, destination)
    file_system.rename(folder, final)
    _logger.info("SavedModel written to: %s", final)
    return os.fsencode(final)


def _build(
    estimator: Estimator, receiver_fn: Callable[[], Any], mode: str
) -> tuple[EstimatorSpec, dict[str, Any]]:
    """The model of a mode, in the default graph, and its signatures."""
    estimator._begin_graph()
    receiver = receiver_fn()
    labels = getattr(receiver, "labels", None)
    spec = estimator._call_model_fn(receiver.features, labels, mode, estimator.config)
    parts = {"loss": spec.loss, "predictions": spec.predictions, "metrics": spec.eval_metric_ops}
    outputs = spec.export_outputs
    if mode == ModeKeys.TRAIN:
        outputs = {"train": TrainOutput(**parts)}
    elif mode == ModeKeys.EVAL:
        outputs = {"eval": EvalOutput(**parts)}
    alternatives = getattr(receiver, "receiver_tensors_alternatives", None) or {}
    signatures = {}
    for prefix, tensors in (("", receiver.receiver_tensors), *alternatives.items()):
        for key, output in outputs.items():
            name = f"{prefix}:{key}" if prefix else key
            try:
                signatures[name] = output.as_signature_def(tensors)
            except ValueError as error:
                _logger.info("Signature EXCLUDED from export: %r: %s", name, error)
    if mode == ModeKeys.PREDICT:
        signatures = {k: each for k, each in signatures.items() if is_valid_signature(each)}
    _logger.info("Signatures INCLUDED in export: %s", sorted(signatures))
    if not signatures:
        _logger.warning("Export includes no signatures!")
    return spec, signatures


def _add(
    builder: SavedModelBuilder,
    estimator: Estimator,
    spec: EstimatorSpec,
    signatures: dict[str, Any],
    checkpoint_path: str,
    is_first: bool,
    mode: str,
) -> None:
    main_op = spec.scaffold.local_init_op
    main_op = Scaffold.default_local_init_op() if main_op is None else main_op
    saver = spec.scaffold.saver or Saver(sharded=True)
    graph = get_default_graph()
    with Session(config=estimator.config.session_config) as session:
        try:
            saver.restore(session, checkpoint_path)
        except NotFoundError as error:
            raise ValueError(
                f"Could not load all requested variables from checkpoint. Please make sure your "
                f"model_fn does not expect variables that were not saved in the checkpoint.\n\n"
                f"Encountered error with mode `{mode}` while restoring checkpoint from: "
                f"`{checkpoint_path}`. Full Traceback:\n\n{error}"
            ) from error
        if spec.train_op is not None:
            graph.add_to_collection(TRAIN_OP_KEY, spec.train_op)
        how: Any = {
            "tags": _TAGS[mode],
            "signature_def_map": signatures,
            "assets_collection": graph.get_collection(GraphKeys.ASSET_FILEPATHS),
            "main_op": main_op,
            "saver": saver,
            "strip_default_attrs": True,
        }
        if is_first:
            builder.add_meta_graph_and_variables(session, **how)
        else:
            builder.add_meta_graph(**how)
