"""How these layers name the variables of `tf.layers`, and which collections they put them in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from tinytf.framework.scope_functions import add_to_collections
from tinytf.framework.tensor import Tensor
from tinytf.layers.base import Layer, parts_of
from tinytf.layers.contrib.variables import model_variable

#: The names that layers gave to their outputs, for `convert_collection_to_dict`.
_aliases: WeakKeyDictionary[Tensor, str] = WeakKeyDictionary()


def model_variables(rename: Mapping[str, str] = {}) -> Callable[..., Any]:
    """A custom getter of scopes that makes model variables.

    Args:
      rename: the last part of a name -> what it is here: {"kernel": "weights"}.
    """

    def getter(getter: Any, name: str, *args: Any, reuse: Any = None, **kwargs: Any) -> Any:
        outer, slash, last = name.rpartition("/")
        wanted = outer + slash + rename.get(last, last)
        for what in ("constraint", "synchronization", "aggregation", "validate_shape"):
            kwargs.pop(what, None)
        return model_variable(wanted, *args, custom_getter=getter, **kwargs)

    return getter


def collect_variables(layer: Layer, collections: Any, names: Mapping[str, str]) -> None:
    """Add the variables of a layer to the collections that the caller has named.

    Args:
      collections: names, for all variables; or name of a variable -> names.
      names: the attribute of the layer -> the name of that variable here.
    """
    for attribute, name in names.items():
        found = getattr(layer, attribute, None)
        wanted = collections_of(collections, name)
        if found is not None and wanted:
            for part in parts_of(found):
                add_to_collections(wanted, part)


def collections_of(given: Any, name: str) -> Any:
    """What a variable is added to, where the caller has named collections, or name -> them."""
    return given.get(name) if isinstance(given, Mapping) else given


def collect_outputs(collections: Any, alias: str, outputs: Tensor) -> Tensor:
    """Add a layer's outputs to the collections that the caller has named.

    Args:
      alias: by which `convert_collection_to_dict` gives them.
    """
    if collections:
        _aliases[outputs] = alias
        add_to_collections(collections, outputs)
    return outputs


def convert_collection_to_dict(
    collection: str, clear_collection: bool = False
) -> dict[str, Tensor]:
    """The outputs in a collection, by the names of their layers.

    Args:
      collection: its name, as given for `outputs_collections`.
      clear_collection: whether it is emptied.
    """
    from tinytf.framework.scope_functions import get_collection_ref

    found = get_collection_ref(collection)
    named = {_aliases.get(tensor, tensor.op.name): tensor for tensor in found}
    if clear_collection:
        del found[:]
    return named


def finished(
    outputs: Tensor, activation_fn: Callable[[Any], Any] | None, collections: Any, alias: str
) -> Tensor:
    """Outputs, activated, and in the collections that the caller has named."""
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_outputs(collections, alias, outputs)


def channels(data_format: str | None, of: Sequence[str], default: str) -> str:
    """What `tf.layers` says for "NCHW" and "NHWC": "channels_first" or "channels_last".

    Raises:
      ValueError: for another format than those in `of`.
    """
    if data_format not in (None, *of):
        raise ValueError(f"data_format has to be either {' or '.join(of)}; got {data_format!r}.")
    return "channels_first" if re.match("NC", data_format or default) else "channels_last"
