"""What a model gives when it is served: `PredictOutput`, `ClassificationOutput`, and their kin.

Mirrors tensorflow/python/saved_model/model_utils/export_output.py.
"""

from __future__ import annotations

import abc
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tinytf.saved_model.signature_def_utils import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
)


class ExportOutput(abc.ABC):
    """What is served under a name (TensorFlow: `tf.estimator.export.ExportOutput`)."""

    @abc.abstractmethod
    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """The signature, of a model that gets these tensors; ValueError if it cannot be."""


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
    def outputs(self) -> dict[str, Any]:
        """By name; a single tensor is called "output"."""
        return self._outputs

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        return predict_signature_def(receiver_tensors, self._outputs)


class ClassificationOutput(ExportOutput):
    """Serves classes (TensorFlow: `tf.estimator.export.ClassificationOutput`).

    Args:
      scores: a float tensor of shape [batch, classes]; classes: strings of the same shape. One of
        them may be None.

    Raises:
      ValueError: without both, or for other types.

    Example:
      >>> output = tf.estimator.export.ClassificationOutput(scores=tf.constant([[0.1, 0.9]]))
      >>> output.classes is None
      True
    """

    def __init__(self, scores: Any = None, classes: Any = None):
        if scores is not None and not (isinstance(scores, Tensor) and scores.dtype.is_floating):
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        is_text = isinstance(classes, Tensor) and classes.dtype == dtypes.string
        if classes is not None and not is_text:
            raise ValueError(
                f"Classification classes must be a string Tensor; got {classes}. "
                f"tf.as_string(classes) makes strings of numbers."
            )
        if scores is None and classes is None:
            raise ValueError(
                "Cannot create a ClassificationOutput with empty arguments. At least one of "
                "`scores` and `classes` must be defined."
            )
        self._scores, self._classes = scores, classes

    @property
    def scores(self) -> Any:
        """Of each example and class."""
        return self._scores

    @property
    def classes(self) -> Any:
        """Their names, of each example."""
        return self._classes

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        examples = _examples(receiver_tensors, "Classification")
        return classification_signature_def(examples, self._classes, self._scores)


class RegressionOutput(ExportOutput):
    """Serves a number (TensorFlow: `tf.estimator.export.RegressionOutput`).

    Args:
      value: a float tensor of shape [batch] or [batch, 1].

    Raises:
      ValueError: for other types.

    Example:
      >>> output = tf.estimator.export.RegressionOutput(tf.constant([1.5, 2.5]))
      >>> output.value.shape
      TensorShape([Dimension(2)])
    """

    def __init__(self, value: Any):
        if not (isinstance(value, Tensor) and value.dtype.is_floating):
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self._value = value

    @property
    def value(self) -> Any:
        """Of each example."""
        return self._value

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        return regression_signature_def(_examples(receiver_tensors, "Regression"), self._value)


def _examples(receiver_tensors: dict[str, Any], what: str) -> Any:
    tensors = list(receiver_tensors.values())
    if len(tensors) != 1 or tensors[0].dtype != dtypes.string:
        raise ValueError(
            f"{what} signatures can only accept a single tensor input of type tf.string: "
            f"serialized tf.train.Example, as build_parsing_serving_input_receiver_fn takes "
            f"them. The model gets {receiver_tensors}."
        )
    return tensors[0]


def export_outputs_of(outputs: Any, predictions: Any) -> dict[str, ExportOutput]:
    """The outputs of a model in PREDICT mode, checked, with one to serve by default.

    Raises:
      TypeError: if it is no dict of `ExportOutput`. ValueError: if there are several and none of
        the name "serving_default".
    """
    default = DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if outputs is None:
        outputs = {default: PredictOutput(predictions)}
    if not isinstance(outputs, dict):
        raise TypeError(f"`export_outputs` must be dict, received: {outputs}.")
    for value in outputs.values():
        if not isinstance(value, ExportOutput):
            raise TypeError(
                f"Values in `export_outputs` must be ExportOutput objects, received: {outputs}. "
                f"tf.estimator.export.PredictOutput(tensors) is one."
            )
    if len(outputs) > 1 and default not in outputs:
        raise ValueError(
            f"Multiple `export_outputs` were provided, but none of them are specified as the "
            f"default. Call one of {', '.join(sorted(outputs))} {default!r}, which is "
            f"tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY."
        )
    if len(outputs) == 1 and default not in outputs:
        outputs = {**outputs, default: next(iter(outputs.values()))}
    return outputs
