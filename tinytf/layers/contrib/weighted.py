"""What functions of layers with weights share: most of their arguments, scopes, collections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.layers.base import Layer
from tinytf.layers.contrib.getters import collect_variables, finished, model_variables
from tinytf.layers.contrib.initializers import xavier_initializer
from tinytf.layers.declared import parameter, parameters_of, with_parameters
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.scope import variable_scope

ZEROS = Zeros()
#: What all take beside their own arguments, and what they do unless told otherwise.
_USUAL = {
    "activation_fn": ops.relu,
    "normalizer_fn": None,
    "normalizer_params": None,
    "weights_initializer": xavier_initializer(),
    "weights_regularizer": None,
    "biases_initializer": ZEROS,
    "biases_regularizer": None,
    "reuse": None,
    "variables_collections": None,
    "outputs_collections": None,
    "trainable": True,
    "scope": None,
}
#: The attribute of a layer -> the name of that variable here.
_NAMES = {"kernel": "weights", "bias": "biases"}


def weighted_layer(
    default: str, names: Mapping[str, str] = _NAMES, behind: Mapping[str, str] = {}
) -> Callable[[Callable[..., Layer]], Callable[..., Tensor]]:
    """Make a function of one that makes a layer of `tf.layers` (decorator): it calls that, too.

    The decorated one is given `inputs`, its own arguments, and what the class takes for the usual
    ones, which come behind its own.

    Args:
      default: the scope's name. names: the attribute of the layer -> the name of that variable.
      behind: which of its own arguments come behind one of the usual ones: its name -> that one.
    """

    def declare(make: Callable[..., Layer]) -> Callable[..., Tensor]:
        own = {one.name: one for one in parameters_of(make)}
        parameters = [one for name, one in own.items() if name not in behind]
        after = {usual: own[name] for name, usual in behind.items()}
        for name, value in _USUAL.items():
            parameters += [parameter(name, value), *([after[name]] if name in after else [])]

        def called(given: dict[str, Any]) -> Tensor:
            inputs, getter = given["inputs"], model_variables(names)
            with variable_scope(
                given["scope"], default, [inputs], reuse=given["reuse"], custom_getter=getter
            ) as entered:
                given["inputs"] = inputs = convert_to_tensor(inputs)
                how = _arguments_of_layer(given, entered)
                layer = make(**{name: given[name] for name in own}, **how)
                outputs = layer(inputs)
                # All weights are "weights" to the collections, "depthwise_weights", too.
                last = {key: name.rpartition("_")[2] for key, name in names.items()}
                collect_variables(layer, given["variables_collections"], last)
                if given["normalizer_fn"] is not None:
                    outputs = given["normalizer_fn"](outputs, **(given["normalizer_params"] or {}))
                activation, collections = given["activation_fn"], given["outputs_collections"]
                return finished(outputs, activation, collections, layer.scope_name)

        return with_parameters(parameters, make, called)

    return declare


def _arguments_of_layer(given: Mapping[str, Any], scope: Any) -> dict[str, Any]:
    """What classes of `tf.layers` take for the usual arguments."""
    return {
        "kernel_initializer": given["weights_initializer"],
        "kernel_regularizer": given["weights_regularizer"],
        "use_bias": not given["normalizer_fn"] and given["biases_initializer"] is not None,
        "bias_initializer": given["biases_initializer"],
        "bias_regularizer": given["biases_regularizer"],
        "trainable": given["trainable"],
        "name": scope.name,
        "dtype": given["inputs"].dtype.base_dtype,
        "_scope": scope,
        "_reuse": given["reuse"],
    }
