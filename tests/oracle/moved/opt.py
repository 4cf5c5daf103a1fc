"""tf.contrib.opt for a TensorFlow that has lost it: its kernels, or its formulas."""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf


def opt() -> dict[str, Any]:
    """The names of tf.contrib.opt."""

    def clip_gradients_by_global_norm(pairs: Any, clip_norm: float = 20.0) -> Any:
        clipped, _ = tf.clip_by_global_norm([grad for grad, _ in pairs], clip_norm)
        return list(zip(clipped, [var for _, var in pairs]))

    return {
        **_kin_of_adam(),
        **_signs(),
        **_decaying(),
        **_AROUND_ANOTHER,
        "clip_gradients_by_global_norm": clip_gradients_by_global_norm,
    }


def _kin_of_adam() -> dict[str, Any]:
    raw = tf.raw_ops

    class Adam(tf.train.AdamOptimizer):
        def numbers(self) -> list[Any]:
            one, two = self._get_beta_accumulators()
            return [one, two, self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t]

    class AdaMaxOptimizer(Adam):
        def __init__(self, *args: Any, name: str = "AdaMax", **named: Any):
            super().__init__(*args, name=name, **named)

        def _apply_dense(self, grad: Any, var: Any) -> Any:
            power, _, lr, beta1, beta2, epsilon = self.numbers()
            return raw.ApplyAdaMax(
                var=var._ref(),
                m=self.get_slot(var, "m")._ref(),
                v=self.get_slot(var, "v")._ref(),
                beta1_power=power,
                lr=lr,
                beta1=beta1,
                beta2=beta2,
                epsilon=epsilon,
                grad=grad,
            )

    class NadamOptimizer(Adam):
        def _apply_dense(self, grad: Any, var: Any) -> Any:
            power, other_power, lr, beta1, beta2, epsilon = self.numbers()
            return raw.ApplyAdam(
                var=var._ref(),
                m=self.get_slot(var, "m")._ref(),
                v=self.get_slot(var, "v")._ref(),
                beta1_power=power,
                beta2_power=other_power,
                lr=lr,
                beta1=beta1,
                beta2=beta2,
                epsilon=epsilon,
                grad=grad,
                use_nesterov=True,
            )

    class LazyAdamOptimizer(Adam):
        def _apply_sparse(self, grad: Any, var: Any) -> Any:
            power, other_power, lr, beta1, beta2, epsilon = self.numbers()
            m, v, rows = self.get_slot(var, "m"), self.get_slot(var, "v"), grad.indices
            mean = beta1 * tf.gather(m, rows) + (1 - beta1) * grad.values
            squares = beta2 * tf.gather(v, rows) + (1 - beta2) * tf.square(grad.values)
            with tf.control_dependencies([mean, squares]):
                kept = tf.scatter_update(m, rows, mean), tf.scatter_update(v, rows, squares)
            rate = lr * tf.sqrt(1 - other_power) / (1 - power)
            step = rate * mean / (tf.sqrt(squares) + epsilon)
            return tf.group(tf.scatter_sub(var, rows, step), *kept)

    named = {"AdaMaxOptimizer": AdaMaxOptimizer, "NadamOptimizer": NadamOptimizer}
    return {**named, "LazyAdamOptimizer": LazyAdamOptimizer}


def _signs() -> dict[str, Any]:
    class Sign(tf.train.Optimizer):
        def __init__(
            self,
            learning_rate: float = 0.1,
            hyper: float = 1.0,
            beta: float = 0.9,
            sign_decay_fn: Any = None,
        ):
            super().__init__(False, type(self).__name__)
            self._numbers = {"lr": learning_rate, self.hyper: self.made(hyper), "beta": beta}
            self._fade = sign_decay_fn or (lambda step: 1.0)

        def made(self, hyper: float) -> float:
            return hyper

        def _create_slots(self, var_list: Any) -> None:
            for var in var_list:
                self._zeros_slot(var, "m", self._name)

        def apply_gradients(self, pairs: Any, global_step: Any = None, name: Any = None) -> Any:
            self._numbers["sign_decay"] = self._fade(global_step)
            return super().apply_gradients(pairs, global_step, name)

        def _apply_dense(self, grad: Any, var: Any) -> Any:
            m = self.get_slot(var, "m")._ref()
            return self.kernel(var=var._ref(), m=m, grad=grad, **self._numbers)

    class AddSignOptimizer(Sign):
        hyper, kernel = "alpha", staticmethod(tf.raw_ops.ApplyAddSign)

    class PowerSignOptimizer(Sign):
        hyper, kernel = "logbase", staticmethod(tf.raw_ops.ApplyPowerSign)

        def __init__(self, learning_rate: float = 0.1, base: float = math.e, *more: Any):
            super().__init__(learning_rate, base, *more)

        def made(self, hyper: float) -> float:
            return math.log(hyper)

    return {"AddSignOptimizer": AddSignOptimizer, "PowerSignOptimizer": PowerSignOptimizer}


def _decaying() -> dict[str, Any]:
    class DecoupledWeightDecayExtension:
        def __init__(self, weight_decay: float, *args: Any, **named: Any):
            self._weight_decay = weight_decay
            super().__init__(*args, **named)

        def _apply_dense(self, grad: Any, var: Any) -> Any:
            with tf.control_dependencies([var.assign_sub(self._weight_decay * var)]):
                return super()._apply_dense(grad, var)

        def _apply_sparse(self, grad: Any, var: Any) -> Any:
            part = self._weight_decay * tf.gather(var, grad.indices)
            with tf.control_dependencies([tf.scatter_sub(var, grad.indices, part)]):
                return super()._apply_sparse(grad, var)

    def extended(base: Any, name: str | None = None) -> Any:
        class Decaying(DecoupledWeightDecayExtension, base):
            def __init__(self, *args: Any, **named: Any):
                super().__init__(*args, **({"name": name} if name else {}), **named)

        return Decaying

    return {
        "AdamWOptimizer": extended(tf.train.AdamOptimizer, "AdamW"),
        "DecoupledWeightDecayExtension": DecoupledWeightDecayExtension,
        "MomentumWOptimizer": extended(tf.train.MomentumOptimizer, "MomentumW"),
        "extend_with_decoupled_weight_decay": extended,
    }


class Around:
    def __init__(self, inner: Any, *args: Any, **named: Any):
        self.inner = inner
        self.set(*args, **named)

    def compute_gradients(self, loss: Any) -> Any:
        return self.inner.compute_gradients(loss)


class VariableClippingOptimizer(Around):
    def set(self, dims: Any, max_norm: float) -> None:
        self.dims, self.max_norm = {var.name: axes for var, axes in dims.items()}, max_norm

    def apply_gradients(self, pairs: Any, global_step: Any = None) -> Any:
        clipped = []
        with tf.control_dependencies([self.inner.apply_gradients(pairs, global_step)]):
            for _, var in pairs:
                if var.name in self.dims:
                    axes = self.dims[var.name]
                    value = tf.clip_by_norm(var.read_value(), self.max_norm, axes)
                    clipped.append(var.assign(value))
        return tf.group(*clipped)


class MovingAverageOptimizer(Around):
    def set(self, average_decay: float = 0.9999, num_updates: Any = None) -> None:
        self.average = tf.train.ExponentialMovingAverage(average_decay, num_updates)

    def apply_gradients(self, pairs: Any, global_step: Any = None) -> Any:
        self.variables = [var for _, var in pairs]
        with tf.control_dependencies([self.inner.apply_gradients(pairs, global_step)]):
            return self.average.apply(self.variables)

    def swapping_saver(self) -> Any:
        swapped = {}
        for var in self.variables:
            average = self.average.average(var)
            swapped |= {var.op.name: average, average.op.name: var}
        others = {var.op.name: var for var in tf.global_variables()}
        return tf.train.Saver({**others, **swapped})


class DropStaleGradientOptimizer(Around):
    def set(self, staleness: int) -> None:
        self.staleness = staleness

    def compute_gradients(self, loss: Any) -> Any:
        self.began = tf.train.get_global_step().read_value() + 0
        with tf.control_dependencies([self.began]):
            return self.inner.compute_gradients(tf.identity(loss))

    def apply_gradients(self, pairs: Any, global_step: Any) -> Any:
        counter = tf.get_variable("stale_counter", [], None, tf.zeros_initializer(), None, False)

        def accept() -> Any:
            with tf.control_dependencies([self.inner.apply_gradients(pairs, global_step)]):
                return tf.constant(0.0)

        with tf.control_dependencies([grad for grad, _ in pairs]):
            late = global_step.read_value() - self.began
        is_fresh = late <= self.staleness
        return counter.assign_add(tf.cond(is_fresh, accept, lambda: tf.constant(1.0)))


_AROUND_ANOTHER = {one.__name__: one for one in Around.__subclasses__()}
