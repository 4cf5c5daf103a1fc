"""What a model gives when it is served: `PredictOutput`, `ClassificationOutput`, and their kin.

Mirrors tensorflow/python/saved_model/model_utils/export_output.py and export_utils.py.
"""

from __future__ import annotations

import abc
from typing import Any

from tinytf.framework.tensor import Tensor

#: The signature that is served when none is asked for.
DEFAULT_SERVING_KEY = "serving_default"


class ExportOutput(abc.ABC):
    """What is served under a name (TensorFlow: `tf.estimator.export.ExportOutput`)."""


class PredictOutput(ExportOutput):
    """Serves tensors (TensorFlow: `tf.estimator.export.PredictOutput`).

    Args:
      outputs: a tensor, or a dict of them.

    Raises:
      ValueError: if it is something else.

    Example:
      >>> output = tf.estimator.export.PredictOutput({"price": tf.constant([1.0])})
      >>> sorted(output.outputs)
      ['price']
    """

    def __init__(self, outputs: Any):
        self._outputs = outputs if isinstance(outputs, dict) else {"output": outputs}
        for key, value in self._outputs.items():
            if not isinstance(key, str):
                raise ValueError(f"Prediction output key must be a string; got {key}.")
            if not isinstance(value, Tensor):
                raise ValueError(f"Prediction output value must be a Tensor; got {value}.")

    @property
    def outputs(self) -> dict[str, Tensor]:
        """By name; a single tensor is called "output"."""
        return self._outputs


def export_outputs_of(outputs: Any, predictions: Any) -> dict[str, ExportOutput]:
    """The outputs of a model in PREDICT mode, checked, with one to serve by default.

    Raises:
      TypeError: if it is no dict of `ExportOutput`. ValueError: if there are several and none of
        the name "serving_default".
    """
    if outputs is None:
        outputs = {DEFAULT_SERVING_KEY: PredictOutput(predictions)}
    if not isinstance(outputs, dict):
        raise TypeError(f"`export_outputs` must be dict, received: {outputs}.")
    for value in outputs.values():
        if not isinstance(value, ExportOutput):
            raise TypeError(
                f"Values in `export_outputs` must be ExportOutput objects, received: {outputs}. "
                f"tf.estimator.export.PredictOutput(tensors) is one."
            )
    if DEFAULT_SERVING_KEY in outputs:
        return outputs
    if len(outputs) > 1:
        raise ValueError(
            f"Multiple `export_outputs` were provided, but none of them is specified as the "
            f"default. Do this by naming one of them with tf.saved_model.signature_constants."
            f"DEFAULT_SERVING_SIGNATURE_DEF_KEY, {DEFAULT_SERVING_KEY!r}. There are: "
            f"{', '.join(sorted(outputs))}."
        )
    return {**outputs, DEFAULT_SERVING_KEY: next(iter(outputs.values()))} if outputs else {}
