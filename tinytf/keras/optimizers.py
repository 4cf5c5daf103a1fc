"""`tf.keras.optimizers`: those of `tf.train`, with Keras' arguments and defaults."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.keras import backend
from tinytf.ops.gradients.gradients import gradients as _gradients
from tinytf.ops.variables.initializers import Constant
from tinytf.ops.variables.variable import Variable
from tinytf.training.adadelta import AdadeltaOptimizer
from tinytf.training.adam import AdamOptimizer
from tinytf.training.gradient_descent import GradientDescentOptimizer
from tinytf.training.momentum import MomentumOptimizer
from tinytf.training.rmsprop import RMSPropOptimizer


class Optimizer:
    """What changes the weights (TensorFlow: `tf.keras.optimizers.Optimizer`).

    Args:
      learning_rate (or lr): how far. decay: how much less with each step.
      clipnorm, clipvalue: limits of each gradient.
      settings: the rest, of each kind.

    Raises:
      TypeError: for other settings.

    Example:
      >>> sgd = tf.keras.optimizers.SGD(0.5, clipvalue=1.0)
      >>> isinstance(sgd, tf.keras.optimizers.Optimizer), sgd.clipvalue
      (True, 1.0)
    """

    usual: dict[str, Any] = {"learning_rate": 0.01}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "lr" in kwargs:
            kwargs["learning_rate"] = kwargs.pop("lr")
        named = dict(zip(self.usual, args))
        common = {"decay": 0.0, "clipnorm": None, "clipvalue": None, "name": type(self).__name__}
        if unknown := set(kwargs) - {*self.usual, *common}:
            raise TypeError(f"Unexpected keyword argument passed to optimizer: {min(unknown)}")
        self.settings = {**common, **self.usual, **named, **kwargs}
        self._variables: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        name = "learning_rate" if name == "lr" else name
        if name.startswith("_") or name not in self.settings:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name == "learning_rate":
            return self._variable(name)
        return self.settings[name]

    @property
    def iterations(self) -> Any:
        """How many steps there were."""
        return self._variable("iter")

    @property
    def weights(self) -> list[Any]:
        """Its variables."""
        return list(self._variables.values())

    def _variable(self, name: str) -> Any:
        if name not in self._variables:
            value, kind = self.settings.get(name, 0), dtypes.int64 if name == "iter" else None
            with name_scope(f"training/{self.settings['name']}/"):
                self._variables[name] = backend._track(
                    Variable(
                        value if kind else float(value),
                        trainable=False,
                        name=name,
                        dtype=kind,
                        use_resource=True,
                    )
                )
        return self._variables[name]

    def get_updates(self, loss: Any, params: list[Any]) -> list[Any]:
        """The operations of a step.

        Args:
          loss: a number. params: the variables to be changed.

        Raises:
          ValueError: if none of them has a gradient.
        """
        found = _gradients(loss, params)
        pairs = [(self._limited(g), v) for g, v in zip(found, params) if g is not None]
        if not pairs:
            raise ValueError(
                f"No gradients provided for any variable: {[v.name for v in params]}. Does the "
                f"loss depend on them?"
            )
        rate, done = self.learning_rate, self.iterations
        if self.settings["decay"]:
            rate = rate / (1.0 + self.settings["decay"] * ops.cast(done, dtypes.float32))
        with name_scope(f"training/{self.settings['name']}/"):
            step = self.apply(rate, pairs)
            with control_dependencies([step]):
                after = [v.assign(v.constraint(v)) for _, v in pairs if v.constraint is not None]
                return [step, done.assign_add(1), *after]

    def _limited(self, gradient: Any) -> Any:
        if self.settings["clipnorm"] is not None:
            gradient = ops.clip_by_norm(gradient, self.settings["clipnorm"])
        value = self.settings["clipvalue"]
        return gradient if value is None else ops.clip_by_value(gradient, -value, value)

    def apply(self, rate: Any, pairs: list[tuple[Any, Any]]) -> Any:
        """The step, of pairs of a gradient and its variable."""
        optimizer = self.made(rate)
        step = optimizer.apply_gradients(pairs)
        for variable in optimizer.variables():
            backend._track(variable)
        return step

    def made(self, rate: Any) -> Any:
        """The optimizer of `tf.train` that does it."""
        raise NotImplementedError

    def _slot(self, variable: Any, name: str, first: float = 0.0) -> Any:
        sizes = variable.shape.as_list()
        made = Variable(
            lambda: Constant(first)(sizes, dtype=variable.dtype.base_dtype),
            trainable=False,
            name=f"{variable.op.name}/{name}",
            dtype=variable.dtype.base_dtype,
            use_resource=True,
        )
        self._variables[made.name] = backend._track(made)
        return made


class SGD(Optimizer):
    """Down the gradient (TensorFlow: `tf.keras.optimizers.SGD`).

    Args:
      learning_rate, momentum, nesterov: as of `tf.train.MomentumOptimizer`.

    Example:
      >>> w = tf.keras.backend.variable(4.0)
      >>> step = tf.keras.optimizers.SGD(0.25).get_updates(w * w, [w])
      >>> sess.run(tf.global_variables_initializer())
      >>> _ = sess.run(step)
      >>> w  # 2.0
    """

    usual = {"learning_rate": 0.01, "momentum": 0.0, "nesterov": False}

    def apply(self, rate: Any, pairs: list[tuple[Any, Any]]) -> Any:
        if self.settings["momentum"]:  # Keras' speed keeps the rate that each gradient came with
            pairs = [(ops.scalar_mul(ops.identity(rate), g), v) for g, v in pairs]
        return super().apply(rate, pairs)

    def made(self, rate: Any) -> Any:
        momentum, nesterov = self.settings["momentum"], self.settings["nesterov"]
        if not momentum:
            return GradientDescentOptimizer(rate)
        return MomentumOptimizer(1.0, momentum, use_nesterov=nesterov)


class Adam(Optimizer):
    """Kingma and Ba's (TensorFlow: `tf.keras.optimizers.Adam`); as `tf.train.AdamOptimizer`.

    Example:
      >>> w = tf.keras.backend.variable(4.0)
      >>> step = tf.keras.optimizers.Adam(0.5).get_updates(w * w, [w])
      >>> sess.run(tf.global_variables_initializer())
      >>> _ = sess.run(step)
      >>> w  # 3.5
    """

    usual = {"learning_rate": 0.001, "beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7}

    def made(self, rate: Any) -> Any:
        s = self.settings
        return AdamOptimizer(rate, s["beta_1"], s["beta_2"], s["epsilon"] or backend.epsilon())


class Adagrad(Optimizer):
    """Duchi's (TensorFlow: `tf.keras.optimizers.Adagrad`).

    Args:
      learning_rate: how far. initial_accumulator_value: what the sum of squares begins with.
      epsilon: added to its root.

    Example:
      >>> w = tf.keras.backend.variable(4.0)
      >>> step = tf.keras.optimizers.Adagrad(0.5).get_updates(w * w, [w])
      >>> sess.run(tf.global_variables_initializer())
      >>> _ = sess.run(step)
      >>> w  # 3.5003908
    """

    usual = {"learning_rate": 0.001, "initial_accumulator_value": 0.1, "epsilon": 1e-7}

    def apply(self, rate: Any, pairs: list[tuple[Any, Any]]) -> Any:
        first, steps = self.settings["initial_accumulator_value"], []
        for gradient, variable in pairs:
            gradient = 1.0 * gradient  # dense
            total = self._slot(variable, "accumulator", first).assign_add(ops.square(gradient))
            step = rate * gradient / (ops.sqrt(total) + self.settings["epsilon"])
            steps.append(variable.assign_sub(step))
        return ops.group(*steps)


class Adadelta(Optimizer):
    """Zeiler's (TensorFlow: `tf.keras.optimizers.Adadelta`); as `tf.train.AdadeltaOptimizer`.

    Example:
      >>> w = tf.keras.backend.variable(4.0)
      >>> step = tf.keras.optimizers.Adadelta(1.0).get_updates(w * w, [w])
      >>> sess.run(tf.global_variables_initializer())
      >>> _ = sess.run(step)
      >>> w  # 3.998586
    """

    usual = {"learning_rate": 0.001, "rho": 0.95, "epsilon": 1e-7}

    def made(self, rate: Any) -> Any:
        return AdadeltaOptimizer(rate, self.settings["rho"], self.settings["epsilon"])


class RMSprop(Optimizer):
    """Steps by the mean square of gradients (TensorFlow: `tf.keras.optimizers.RMSprop`).

    Args:
      learning_rate: how far. rho: how much of the mean stays.
      momentum: how much of the last step is made again.
      epsilon: added to the mean's root; with momentum, under it.
      centered: whether the square of the mean gradient is taken off first.

    Example:
      >>> w = tf.keras.backend.variable(4.0)
      >>> step = tf.keras.optimizers.RMSprop(0.5, rho=0.75).get_updates(w * w, [w])
      >>> sess.run(tf.global_variables_initializer())
      >>> _ = sess.run(step)
      >>> w  # 3.0
    """

    usual = {
        "learning_rate": 0.001,
        "rho": 0.9,
        "momentum": 0.0,
        "epsilon": 1e-7,
        "centered": False,
    }

    def apply(self, rate: Any, pairs: list[tuple[Any, Any]]) -> Any:
        if self.settings["momentum"]:
            return super().apply(rate, pairs)
        steps = []
        for gradient, variable in pairs:
            gradient = 1.0 * gradient  # dense
            mean = self._moved(variable, "rms", ops.square(gradient))
            if self.settings["centered"]:
                mean = mean - ops.square(self._moved(variable, "mg", gradient))
            step = rate * gradient / (ops.sqrt(mean) + self.settings["epsilon"])
            steps.append(variable.assign_sub(step))
        return ops.group(*steps)

    def _moved(self, variable: Any, name: str, new: Any) -> Any:
        rho, mean = self.settings["rho"], self._slot(variable, name)
        return mean.assign(rho * mean + (1.0 - rho) * new)

    def made(self, rate: Any) -> Any:
        s = self.settings
        return _FromZeros(rate, s["rho"], s["momentum"], s["epsilon"], centered=s["centered"])


class _FromZeros(RMSPropOptimizer):
    """`tf.train`'s, whose mean begins with ones, but for that."""

    def _create_slot(self, var: Any, slot: str) -> None:
        self._zeros_slot(var, slot, self._name)


class _TFOptimizer(Optimizer):
    """One of `tf.train`'s own, given to `compile`."""

    def __init__(self, optimizer: Any) -> None:
        super().__init__()
        self._optimizer = optimizer

    def apply(self, rate: Any, pairs: list[tuple[Any, Any]]) -> Any:
        step = self._optimizer.apply_gradients(pairs)
        for variable in self._optimizer.variables():
            backend._track(variable)
        return step


sgd, adam, adagrad, adadelta, rmsprop = SGD, Adam, Adagrad, Adadelta, RMSprop


def get(identifier: Any) -> Any:
    """An optimizer, by its name or as it is (TensorFlow: `tf.keras.optimizers.get`).

    Args:
      identifier: "adam", for example; an optimizer of `tf.keras.optimizers`, or of `tf.train`.

    Raises:
      ValueError: for an unknown name.

    Example:
      >>> type(tf.keras.optimizers.get("adam")) is tf.keras.optimizers.Adam
      True
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if not isinstance(identifier, str):
        return _TFOptimizer(identifier)
    found = globals().get(identifier.lower())
    if not isinstance(found, type):
        raise ValueError(
            f"Unknown optimizer: {identifier}. There are: SGD, Adam, Adagrad, Adadelta, RMSprop; "
            f"or give one of tf.train."
        )
    return found()
