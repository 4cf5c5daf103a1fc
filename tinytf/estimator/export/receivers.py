"""What a served model gets: placeholders, and the features made of them.

Mirrors tensorflow_estimator/python/estimator/export/export.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tinytf.estimator.checked import Checked
from tinytf.framework import dtypes
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.placeholder import placeholder
from tinytf.ops.io.examples import parse_example
from tinytf.ops.variables.variable import Variable


class _Receiver(NamedTuple):
    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any = None


class ServingInputReceiver(Checked, _Receiver):
    """What a `serving_input_receiver_fn` returns (TensorFlow: the same in `tf.estimator.export`).

    Args:
      features: what `model_fn` gets: a dict of tensors; a single one is called "feature".
      receiver_tensors: what is fed: a tensor, called "input", or a dict.
      receiver_tensors_alternatives: name -> other tensors that can be fed instead.

    Raises:
      ValueError: for what is no tensor, or has no name.

    Example:
      >>> age = tf.placeholder(tf.float32, [None])
      >>> receiver = tf.estimator.export.ServingInputReceiver({"age": age}, age)
      >>> list(receiver.receiver_tensors)
      ['input']
    """

    __slots__ = ()

    @classmethod
    def _checked(cls, given: _Receiver) -> _Receiver:
        features, tensors, alternatives = given
        if alternatives is not None:
            if not isinstance(alternatives, dict):
                raise ValueError(f"receiver_tensors_alternatives must be a dict: {alternatives}.")
            what = "receiver_tensors_alternative"
            alternatives = {k: _named(each, what, "input") for k, each in alternatives.items()}
        features = _named(features, "feature", "feature")
        return _Receiver(features, _named(tensors, "receiver_tensor", "input"), alternatives)


class TensorServingInputReceiver(Checked, _Receiver):
    """The same for a model whose features are a single tensor, not a dict.

    TensorFlow: `tf.estimator.export.TensorServingInputReceiver`.

    Args:
      features: a tensor. receiver_tensors, receiver_tensors_alternatives: as of
        `ServingInputReceiver`.

    Raises:
      ValueError: as `ServingInputReceiver`.

    Example:
      >>> x = tf.placeholder(tf.float32, [None, 3])
      >>> tf.estimator.export.TensorServingInputReceiver(x, x).features is x
      True
    """

    __slots__ = ()

    @classmethod
    def _checked(cls, given: _Receiver) -> _Receiver:
        if isinstance(given.features, dict):
            raise ValueError("feature must be a Tensor, SparseTensor, or RaggedTensor, not a dict.")
        receiver = ServingInputReceiver(*given)
        return _Receiver(given.features, *receiver[1:])


def build_parsing_serving_input_receiver_fn(
    feature_spec: dict[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """For a model that is fed serialized `tf.train.Example` (TensorFlow: the same name).

    Args:
      feature_spec: as of `tf.parse_example`; `tf.feature_column.make_parse_example_spec(columns)`
        makes it of feature columns.
      default_batch_size: of the placeholder; None: any.

    Returns:
      a `serving_input_receiver_fn`.

    Example:
      >>> spec = {"age": tf.FixedLenFeature([], tf.float32)}
      >>> receiver_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
      >>> receiver_fn().receiver_tensors["examples"].name
      'input_example_tensor:0'
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        examples = placeholder(dtypes.string, [default_batch_size], "input_example_tensor")
        return ServingInputReceiver(parse_example(examples, feature_spec), {"examples": examples})

    return serving_input_receiver_fn


def build_raw_serving_input_receiver_fn(
    features: dict[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """For a model that is fed its features themselves (TensorFlow: the same name).

    Args:
      features: name -> a tensor, whose dtype, shape but for the batch, and name are taken.
      default_batch_size: of the placeholders; None: any.

    Returns:
      a `serving_input_receiver_fn`.

    Example:
      >>> age = tf.placeholder(tf.float32, [None], "age")
      >>> receiver_fn = tf.estimator.export.build_raw_serving_input_receiver_fn({"age": age})
      >>> with tf.Graph().as_default():
      ...     print(receiver_fn().features["age"].name)
      age:0
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        fed = {}
        for name, tensor in features.items():
            shape = TensorShape([default_batch_size]).concatenate(tensor.shape[1:])
            fed[name] = placeholder(tensor.dtype.base_dtype, shape, tensor.op.name)
        return ServingInputReceiver(fed, fed)

    return serving_input_receiver_fn


def _named(tensors: Any, what: str, default: str) -> dict[Any, Any]:
    if tensors is None:
        raise ValueError(f"{what}s must be defined.")
    found: dict[Any, Any] = tensors if isinstance(tensors, dict) else {default: tensors}
    for name, tensor in found.items():
        if not isinstance(name, str) and not (what == "feature" and isinstance(name, int)):
            raise ValueError(f"{what} keys must be strings: {name}.")
        if not isinstance(tensor, Tensor | SparseTensor | Variable):
            raise ValueError(
                f"{what} {name} must be a Tensor, SparseTensor, or RaggedTensor. It is {tensor!r}; "
                f"tf.placeholder makes a tensor to be fed."
            )
    return found
