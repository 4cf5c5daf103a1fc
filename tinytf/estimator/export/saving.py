"""A trained model as a SavedModel, in a folder whose name is the time.

Mirrors what tensorflow_estimator/python/estimator/estimator.py does to export, and
tensorflow/python/saved_model/model_utils/export_utils.py.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tinytf.estimator.model_fn import ModeKeys
from tinytf.framework.errors import NotFoundError
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.base.arguments import having
from tinytf.resources import file_system
from tinytf.saved_model.builder import SavedModelBuilder
from tinytf.saved_model.constants import EXTRA_ASSETS_DIRECTORY
from tinytf.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tinytf.saved_model.signature_def_utils import is_valid_signature
from tinytf.saved_model.tag_constants import SERVING
from tinytf.session.session import Session
from tinytf.training.managed.scaffold import Scaffold
from tinytf.training.saver import Saver

if TYPE_CHECKING:
    from tinytf.estimator.estimator import Estimator

_logger = logging.getLogger("tinytf")


def export_saved_model(
    estimator: Estimator,
    export_dir_base: str | os.PathLike[str] | bytes,
    receiver_fn: Callable[[], Any],
    assets_extra: dict[str, str] | None,
    as_text: bool,
    checkpoint_path: str,
) -> bytes:
    """Write a SavedModel.

    Args:
      estimator: whose model it is. export_dir_base: the folder above.
      receiver_fn: makes the placeholders.
      assets_extra: name in the folder "assets.extra" -> path of a file to copy there.
      as_text: whether the graph is written as text. checkpoint_path: has the variables' values.

    Returns:
      the folder's path.
    """
    base = os.fsdecode(export_dir_base)
    # A second one in one second is of the next, and none is older than one that was written before.
    there = file_system.list_folder(base) if file_system.is_folder(base) else []
    stamp = max([int(time.time()), *(int(name) + 1 for name in there if name.isdecimal())])
    final, folder = os.path.join(base, str(stamp)), os.path.join(base, f"temp-{stamp}")
    file_system.make_folders(base)
    builder = SavedModelBuilder(folder)
    with Graph().as_default():
        _add_model(builder, estimator, receiver_fn, checkpoint_path)
    builder.save(as_text)
    for name, source in (assets_extra or {}).items():
        destination = os.path.join(folder, EXTRA_ASSETS_DIRECTORY, os.fsdecode(name))
        file_system.make_folders(os.path.dirname(destination))
        file_system.copy(source, destination)
    file_system.rename(folder, final)
    _logger.info("SavedModel written to: %s", final)
    return os.fsencode(final)


def _add_model(
    builder: SavedModelBuilder,
    estimator: Estimator,
    receiver_fn: Callable[[], Any],
    checkpoint_path: str,
) -> None:
    """Build the model, and give it and the checkpoint's values to the builder."""
    estimator._begin_graph()
    receiver = receiver_fn()
    makes = "tf.estimator.export.ServingInputReceiver(features, receiver_tensors)"
    features = having(receiver, "features", f"The receiver function returns {makes}.").features
    spec = estimator._call_model_fn(features, None, ModeKeys.PREDICT, estimator.config)
    signatures = _signatures(receiver, spec.export_outputs)
    main_op = spec.scaffold.local_init_op
    saver = spec.scaffold.saver or Saver(sharded=True)
    main_op = Scaffold.default_local_init_op() if main_op is None else main_op
    with Session(config=estimator.config.session_config) as session:
        try:
            saver.restore(session, checkpoint_path)
        except NotFoundError as error:
            raise ValueError(
                f"Could not load all requested variables from checkpoint. Please make sure your "
                f"model_fn does not expect variables that were not saved in the checkpoint.\n\n"
                f"Encountered error while restoring checkpoint from: `{checkpoint_path}`. Full "
                f"Traceback:\n\n{error}"
            ) from error
        builder.add_meta_graph_and_variables(
            session,
            [SERVING],
            signatures,
            assets_collection=get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS),
            main_op=main_op,
            strip_default_attrs=True,
            saver=saver,
        )


def _signatures(receiver: Any, outputs: dict[str, Any]) -> dict[str, Any]:
    """The model's signatures, as far as what it gets and what it gives fit together."""
    alternatives = receiver.receiver_tensors_alternatives or {}
    signatures = {}
    for prefix, tensors in (("", receiver.receiver_tensors), *alternatives.items()):
        for key, output in outputs.items():
            name = f"{prefix}:{key}" if prefix else key
            try:
                signature = output.as_signature_def(tensors)
            except ValueError as error:
                _logger.info("Signature EXCLUDED from export: %r: %s", name, error)
                continue
            if is_valid_signature(signature):
                signatures[name] = signature
    _logger.info("Signatures INCLUDED in export: %s", sorted(signatures))
    if DEFAULT_SERVING_SIGNATURE_DEF_KEY not in signatures:
        _logger.warning("Export includes no default signature!")
    return signatures
