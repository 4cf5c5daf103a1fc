"""Variables of models, found by their names (TensorFlow: contrib/framework's variables.py)."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tinytf.framework.dtypes import float32
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.scope_functions import add_to_collection, get_collection
from tinytf.framework.scope_functions import device as on_device
from tinytf.layers.contrib.arg_scope import add_arg_scope
from tinytf.ops.array.placeholder import placeholder
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.variables.current_scope import VariableScope, get_variable_scope
from tinytf.ops.variables.scope import get_variable
from tinytf.ops.variables.variable import Variable
from tinytf.training.checkpoint_reading import NewCheckpointReader
from tinytf.training.saver import Saver


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = float32,
    initializer: Any = None,
    regularizer: Callable[[Any], Any] | None = None,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
) -> Any:
    """A variable of the current scope, made or used again: `tf.get_variable` on a device.

    Args:
      device: where it is placed; None for where the program says.
      collections: by default the global variables.
      the rest: as of `tf.get_variable`.

    Raises:
      ValueError: as of `tf.get_variable`.

    Example:
      >>> tf.contrib.framework.variable("speed", [2], initializer=tf.zeros_initializer())
      <tf.Variable 'speed:0' shape=(2,) dtype=float32_ref>
    """
    getter: Any = get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=get_variable_scope().reuse)
    with on_device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys(collections or [GraphKeys.GLOBAL_VARIABLES])),
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
        )


@add_arg_scope
def model_variable(name: str, *args: Any, collections: Any = None, **kwargs: Any) -> Any:
    """A variable that a model is made of: `variable`, also in `tf.GraphKeys.MODEL_VARIABLES`.

    Args:
      name, args, kwargs: as of `tf.contrib.framework.variable`.
      collections: further ones.

    Example:
      >>> w = tf.contrib.framework.model_variable("w", [2])
      >>> tf.model_variables()
      [<tf.Variable 'w:0' shape=(2,) dtype=float32_ref>]
    """
    wanted = [*(collections or []), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(name, *args, collections=wanted, **kwargs)


def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, **kwargs: Any
) -> Any:
    """A variable that no checkpoint keeps, in `tf.GraphKeys.LOCAL_VARIABLES`.

    Args:
      initial_value, validate_shape, name, kwargs: as of `tf.Variable`.

    Example:
      >>> seen = tf.contrib.framework.local_variable(0, name="seen")
      >>> tf.local_variables()
      [<tf.Variable 'seen:0' shape=() dtype=int32_ref>]
    """
    return Variable(
        initial_value,
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=validate_shape,
        name=name,
        **kwargs,
    )


def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, **kwargs: Any
) -> Any:
    """A variable that is not trained, in `tf.GraphKeys.GLOBAL_VARIABLES`.

    Args:
      initial_value, validate_shape, name, kwargs: as of `tf.Variable`.

    Example:
      >>> steps = tf.contrib.framework.global_variable(0, name="steps")
      >>> tf.trainable_variables()
      []
    """
    return Variable(
        initial_value, trainable=False, validate_shape=validate_shape, name=name, **kwargs
    )


def add_model_variable(var: Any) -> None:
    """Add a variable to `tf.GraphKeys.MODEL_VARIABLES`, if it is not there.

    Args:
      var: a variable.

    Example:
      >>> w = tf.get_variable("w", [2])
      >>> tf.contrib.framework.add_model_variable(w)
      >>> tf.model_variables() == [w]
      True
    """
    if not any(var is one for one in get_collection(GraphKeys.MODEL_VARIABLES)):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """The variables of a collection whose names begin, and perhaps end, with something.

    Args:
      scope: a scope, or a regular expression that names are to begin with; None for all.
      suffix: what names are to end with, such as "weights".
      collection: its name.

    Example:
      >>> w = tf.get_variable("layer/weights", [2])
      >>> b = tf.get_variable("layer/biases", [2])
      >>> tf.contrib.framework.get_variables("layer", suffix="biases") == [b]
      True
    """
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = f"{scope or ''}.*{suffix if ':' in suffix else suffix + ':'}"
    return get_collection(collection, scope)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of the model variables.

    Args:
      scope, suffix: as there.

    Example:
      >>> w, step = tf.contrib.framework.model_variable("w", [2]), tf.get_variable("step", [])
      >>> tf.contrib.framework.get_model_variables() == [w]
      True
    """
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of the local variables.

    Args:
      scope, suffix: as there.

    Example:
      >>> seen = tf.contrib.framework.local_variable(0, name="seen")
      >>> tf.contrib.framework.get_local_variables("seen") == [seen]
      True
    """
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of the variables that are trained.

    Args:
      scope, suffix: as there.

    Example:
      >>> w, b = tf.get_variable("layer/w", [2]), tf.get_variable("layer/b", [2], trainable=False)
      >>> tf.contrib.framework.get_trainable_variables("layer") == [w]
      True
    """
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The global variables whose names end with something.

    Args:
      suffix, scope: as of `get_variables`.

    Example:
      >>> w, b = tf.get_variable("layer/weights", [2]), tf.get_variable("layer/biases", [2])
      >>> tf.contrib.framework.get_variables_by_suffix("biases") == [b]
      True
    """
    return get_variables(scope, suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The global variables that have this name within their scopes.

    Args:
      given_name: such as "weights". scope: as of `get_variables`.

    Example:
      >>> w, b = tf.get_variable("layer/weights", [2]), tf.get_variable("layer/biases", [2])
      >>> tf.contrib.framework.get_variables_by_name("weights") == [w]
      True
    """
    return get_variables(scope, f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> Any:
    """The global variable of this name.

    Args:
      var_op_name: without ":0".

    Raises:
      ValueError: if there is none.

    Example:
      >>> w = tf.get_variable("layer/weights", [2])
      >>> tf.contrib.framework.get_unique_variable("layer/weights") is w
      True
    """
    candidates = get_variables(var_op_name)
    found = [one for one in candidates if one.op.name == var_op_name]
    if found:
        return found[0]
    if not candidates:
        there = ", ".join(one.op.name for one in get_variables()[:10])
        raise ValueError(f"Couldn't find variable {var_op_name}. There are: {there or 'none'}.")
    raise ValueError(
        f"Variable {var_op_name} does not uniquely identify a variable: "
        f"{', '.join(one.op.name for one in candidates)}."
    )


def get_variables_to_restore(
    include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
) -> list[Any]:
    """The global variables of some scopes, without those of others, each once.

    Args:
      include: names of scopes; None for all. exclude: names of scopes.

    Raises:
      TypeError: if one of them is neither None nor a list.

    Example:
      >>> a, b = tf.get_variable("old/w", [2]), tf.get_variable("new/w", [2])
      >>> tf.contrib.framework.get_variables_to_restore(exclude=["new"]) == [a]
      True
    """
    for name, scopes in (("include", include), ("exclude", exclude)):
        if scopes is not None and not isinstance(scopes, list | tuple):
            raise TypeError(f"{name} must be a list or a tuple, or None; got {scopes!r}.")
    wanted = get_variables() if include is None else [v for s in include for v in get_variables(s)]
    left_out = {id(one) for scope in exclude or () for one in get_variables(scope)}
    return list({id(one): one for one in wanted if id(one) not in left_out}.values())


def filter_variables(
    var_list: Sequence[Any],
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """The variables whose names fit some pattern, and no other one.

    Args:
      include_patterns: regular expressions; None for all. exclude_patterns: what is left out.
      reg_search: whether they may fit anywhere in the name, or at its beginning only.

    Example:
      >>> variables = [tf.get_variable("a/w", [1]), tf.get_variable("a/b", [1])]
      >>> [one.op.name for one in tf.contrib.framework.filter_variables(variables, ["w$|w:"])]
      ['a/w']
    """
    fits = re.search if reg_search else re.match
    found = list(var_list)
    if include_patterns is not None:
        found = [v for v in found if any(fits(one, v.name) for one in include_patterns)]
    return [v for v in found if not any(fits(one, v.name) for one in exclude_patterns or ())]


def get_variable_full_name(var: Any) -> str:
    """The name of a variable in checkpoints: of a part, that of the whole.

    Args:
      var: a variable.

    Example:
      >>> parts = tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2))
      >>> [one.op.name for one in parts]
      ['w/part_0', 'w/part_1']
      >>> [tf.contrib.framework.get_variable_full_name(one) for one in parts]
      ['w', 'w']
    """
    whole = var._get_save_slice_info()
    return whole.full_name if whole else var.op.name


def assign_from_values(var_names_to_values: Mapping[str, Any]) -> tuple[Operation, dict[Any, Any]]:
    """An operation that gives variables values, and what to feed when it is run.

    Args:
      var_names_to_values: name of a global variable, without ":0" -> array.

    Raises:
      ValueError: if there is no such variable.

    Example:
      >>> w = tf.get_variable("w", [2])
      >>> assign, feed = tf.contrib.framework.assign_from_values({"w": [1.0, 2.0]})
      >>> sess.run(assign, feed)
      >>> w.eval()  # [1., 2.]
    """
    feed: dict[Any, Any] = {}
    assigned = []
    for name, value in var_names_to_values.items():
        var = get_unique_variable(name)
        fed = placeholder(var.dtype.base_dtype, name=f"placeholder/{name}", shape=var.shape)
        assigned.append(var.assign(fed))
        feed[fed] = np.asarray(value).reshape(var.shape.as_list())
    return group(*assigned), feed


def assign_from_values_fn(var_names_to_values: Mapping[str, Any]) -> Callable[[Any], None]:
    """A function of a session that gives variables values.

    Args:
      var_names_to_values: as of `assign_from_values`.

    Raises:
      ValueError: as there.

    Example:
      >>> w = tf.get_variable("w", [2])
      >>> begin = tf.contrib.framework.assign_from_values_fn({"w": [1.0, 2.0]})
      >>> begin(sess)
      >>> w.eval()  # [1., 2.]
    """
    assign, feed = assign_from_values(var_names_to_values)
    return lambda session: session.run(assign, feed)


def assign_from_checkpoint(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False
) -> tuple[Operation, dict[Any, Any]]:
    """An operation that gives variables the values of a checkpoint, and what to feed it.

    Args:
      model_path: of the checkpoint. var_list: variables, or name in the checkpoint -> variable.
      ignore_missing_vars: whether those that the checkpoint lacks stay as they are.

    Raises:
      ValueError: if the checkpoint lacks one, or its shape is another.

    Example:
      >>> w = tf.get_variable("w", initializer=3.0)
      >>> sess.run(w.initializer)
      >>> path = tf.train.Saver().save(sess, "./model")
      >>> v = tf.get_variable("v", [])
      >>> assign, feed = tf.contrib.framework.assign_from_checkpoint(path, {"w": v})
      >>> sess.run(assign, feed)
      >>> v  # 3.0
    """
    reader = NewCheckpointReader(model_path)
    there = reader.get_variable_to_shape_map()
    feed: dict[Any, Any] = {}
    assigned = []
    for name, var in _by_name(var_list, there, ignore_missing_vars, model_path).items():
        if there[name] != var.shape.as_list():
            raise ValueError(
                f"Total size of new array must be unchanged for {name}: the checkpoint has "
                f"{there[name]}, the variable {var.op.name} has {var.shape.as_list()}."
            )
        fed = placeholder(var.dtype.base_dtype, name=f"placeholder/{var.op.name}", shape=var.shape)
        assigned.append(var.assign(fed))
        feed[fed] = reader.get_tensor(name)
    return group(*assigned), feed


def assign_from_checkpoint_fn(
    model_path: str,
    var_list: Any,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[Any], None] | None:
    """A function of a session that restores variables; None if there are none to restore.

    Args:
      model_path, var_list, ignore_missing_vars: as of `assign_from_checkpoint`.
      reshape_variables: as of `tf.train.Saver`.

    Raises:
      ValueError: if `var_list` is empty, or the checkpoint lacks one.

    Example:
      >>> w = tf.get_variable("w", initializer=3.0)
      >>> sess.run(w.initializer)
      >>> path = tf.train.Saver().save(sess, "./model")
      >>> v = tf.get_variable("v", [])
      >>> begin = tf.contrib.framework.assign_from_checkpoint_fn(path, {"w": v})
      >>> begin(sess)
      >>> v  # 3.0
    """
    if not var_list:
        raise ValueError("var_list cannot be empty: nothing would be restored.")
    if ignore_missing_vars:
        there = NewCheckpointReader(model_path).get_variable_to_shape_map()
        var_list = _by_name(var_list, there, True, model_path)
        if not var_list:
            logging.getLogger("tinytf").warning("No Variables to restore")
            return None
    saver = Saver(var_list, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def _by_name(var_list: Any, there: Any, ignore: bool, path: str) -> dict[str, Any]:
    """Name in the checkpoint -> variable."""
    if not isinstance(var_list, Mapping):
        var_list = {get_variable_full_name(one): one for one in var_list}
    missing = [name for name in var_list if name not in there]
    for name in missing:
        if not ignore:
            raise ValueError(
                f"Checkpoint is missing variable [{name}]: {path} has {', '.join(sorted(there))}."
            )
        logging.getLogger("tinytf").warning("Variable %s missing in checkpoint %s", name, path)
    return {name: one for name, one in var_list.items() if name in there}
