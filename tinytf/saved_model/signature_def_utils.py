"""`tf.saved_model.signature_def_utils`: what a model computes, of which named tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.collection_protos import prepend_scope
from tinytf.framework.errors import NotFoundError
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.arguments import having
from tinytf.protos.meta_graph_pb2 import SignatureDef, TensorInfo
from tinytf.saved_model import signature_constants as known
from tinytf.saved_model.utils import build_tensor_info

_STRING, _FLOAT = dtypes.string.as_datatype_enum, dtypes.float32.as_datatype_enum
#: method -> the types of its inputs and of its outputs, by name
_METHODS = {
    known.CLASSIFY_METHOD_NAME: (
        {known.CLASSIFY_INPUTS: _STRING},
        {known.CLASSIFY_OUTPUT_CLASSES: _STRING, known.CLASSIFY_OUTPUT_SCORES: _FLOAT},
    ),
    known.REGRESS_METHOD_NAME: ({known.REGRESS_INPUTS: _STRING}, {known.REGRESS_OUTPUTS: _FLOAT}),
}


def build_signature_def(
    inputs: Mapping[str, TensorInfo] | None = None,
    outputs: Mapping[str, TensorInfo] | None = None,
    method_name: str | None = None,
) -> SignatureDef:
    """A signature of its parts (TensorFlow: `tf.saved_model.build_signature_def`).

    Args:
      inputs, outputs: name -> `TensorInfo`, as `build_tensor_info` makes them.
      method_name: one of `tf.saved_model.signature_constants`.

    Example:
      >>> info = tf.saved_model.build_tensor_info(tf.constant(1.0, name="x"))
      >>> tf.saved_model.build_signature_def({"x": info}).inputs["x"].name
      'x:0'
    """
    return SignatureDef(inputs=inputs, outputs=outputs, method_name=method_name)


def predict_signature_def(
    inputs: Mapping[str, Any] | None, outputs: Mapping[str, Any] | None
) -> SignatureDef:
    """Any tensors in, any out (TensorFlow: `tf.saved_model.predict_signature_def`).

    Args:
      inputs, outputs: name -> tensor.

    Raises:
      ValueError: if there are none.

    Example:
      >>> x = tf.placeholder(tf.float32)
      >>> tf.saved_model.predict_signature_def({"x": x}, {"y": 2.0 * x}).method_name
      'tensorflow/serving/predict'
    """
    if not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    for each in (inputs, outputs):
        having(each, "items", 'Inputs and outputs are dicts: {"name": tensor}.')
    return build_signature_def(
        {key: build_tensor_info(tensor) for key, tensor in inputs.items()},
        {key: build_tensor_info(tensor) for key, tensor in outputs.items()},
        known.PREDICT_METHOD_NAME,
    )


def regression_signature_def(examples: Any, predictions: Any) -> SignatureDef:
    """Serialised examples in, numbers out (TensorFlow: `tf.saved_model.regression_signature_def`).

    Args:
      examples: a string tensor of `tf.train.Example`s. predictions: a float32 tensor.

    Raises:
      ValueError: if one is missing, or of another type.

    Example:
      >>> examples = tf.placeholder(tf.string)
      >>> signature = tf.saved_model.regression_signature_def(examples, tf.zeros([3]))
      >>> list(signature.inputs), list(signature.outputs)
      (['inputs'], ['outputs'])
    """
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    return _of_examples("Regression", examples, {known.REGRESS_OUTPUTS: predictions})


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> SignatureDef:
    """Serialised examples in, classes out (TensorFlow: `...classification_signature_def`).

    Args:
      examples: a string tensor of `tf.train.Example`s.
      classes: a string tensor with their names, or None. scores: a float32 tensor, or None.

    Raises:
      ValueError: if `examples`, or both others, are missing; if one is of another type.

    Example:
      >>> examples = tf.placeholder(tf.string)
      >>> signature = tf.saved_model.classification_signature_def(examples, None, tf.zeros([3, 2]))
      >>> tf.saved_model.is_valid_signature(signature)
      True
    """
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    outputs = {known.CLASSIFY_OUTPUT_CLASSES: classes, known.CLASSIFY_OUTPUT_SCORES: scores}
    given = {key: tensor for key, tensor in outputs.items() if tensor is not None}
    return _of_examples("Classification", examples, given)


def _of_examples(what: str, examples: Any, outputs: dict[str, Any]) -> SignatureDef:
    method = known.CLASSIFY_METHOD_NAME if what == "Classification" else known.REGRESS_METHOD_NAME
    if examples is None:
        raise ValueError(f"{what} `examples` cannot be None.")
    if not isinstance(examples, Tensor):
        raise ValueError(
            f"{what} `examples` must be a string Tensor. Found `examples` of type {type(examples)}."
        )
    of_inputs, of_outputs = _METHODS[method]
    _check_type(f"{what} input tensors", examples, of_inputs["inputs"])
    for key, tensor in outputs.items():
        name = "output tensors" if what == "Regression" else key
        _check_type(f"{what} {name}", tensor, of_outputs[key])
    infos = {key: build_tensor_info(tensor) for key, tensor in outputs.items()}
    return build_signature_def({"inputs": build_tensor_info(examples)}, infos, method)


def _check_type(what: str, tensor: Any, expected: int) -> None:
    if tensor.dtype.base_dtype.as_datatype_enum != expected:
        word = "string" if expected == _STRING else "float"
        raise ValueError(
            f"{what} must be of type {word}. Found tensors with type {tensor.dtype.name}."
        )


def is_valid_signature(signature_def: Any) -> bool:
    """Whether TensorFlow Serving knows what to do with it (`tf.saved_model.is_valid_signature`).

    Example:
      >>> tf.saved_model.is_valid_signature(tf.saved_model.build_signature_def())
      False
    """
    if signature_def is None or not signature_def.outputs:
        return False
    if signature_def.method_name == known.PREDICT_METHOD_NAME:
        return bool(signature_def.inputs)
    if signature_def.method_name not in _METHODS:
        return False
    of_inputs, of_outputs = _METHODS[signature_def.method_name]
    inputs = {key: info.dtype for key, info in signature_def.inputs.items()}
    outputs = {key: info.dtype for key, info in signature_def.outputs.items()}
    return inputs == of_inputs and outputs.items() <= of_outputs.items()


def op_signature_def(op: Any, key: str) -> SignatureDef:
    """An operation under a name, in a signature of which it is all."""
    info = TensorInfo(name=op.name)
    info.tensor_shape.unknown_rank = True
    return build_signature_def(outputs={key: info})


def load_op_from_signature_def(
    signature_def: Any, key: str, import_scope: str | None = None
) -> Any:
    """The operation of `op_signature_def`, in the default graph.

    Raises:
      tf.errors.NotFoundError: if the graph does not have it.
    """
    name = prepend_scope(signature_def.outputs[key].name, import_scope)
    try:
        return get_default_graph().as_graph_element(name)
    except KeyError:
        raise NotFoundError(
            None, None, f'The key "{key}" could not be found in the graph: it has no {name}.'
        ) from None
