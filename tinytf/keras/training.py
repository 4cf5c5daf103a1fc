"""What a model is trained with: compile, fit, evaluate, predict, on `sess.run`.

Mirrors tensorflow/python/keras/engine/training.py and training_arrays.py, for arrays.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes, nest
from tinytf.keras import backend, losses, metrics, optimizers
from tinytf.keras.base_layer import Layer, call_that_made
from tinytf.keras.callbacks import History, _CallbackList


class Trained(Layer):
    """A layer that has inputs and outputs, and can be trained.

    Attributes:
      inputs, outputs: lists of tensors. optimizer: of `compile`. stop_training: whether `fit` is to
        end after this epoch.
    """

    inputs: Any = None
    outputs: Any = None
    optimizer: Any = None
    stop_training = False
    _is_compiled = False
    _loss: Any = None

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        **kwargs: Any,
    ) -> None:
        """Say how it is trained.

        Args:
          optimizer: of `tf.keras.optimizers` or `tf.train`, or its name.
          loss: of `tf.keras.losses`, or its name; a list, or a dict by names, for several outputs.
          metrics: likewise; "accuracy" is what suits the loss.
          loss_weights: of several losses.

        Raises:
          TypeError: for other arguments. ValueError: for names that nothing has.
        """
        if kwargs:
            raise TypeError(f"compile() got arguments that tinytf does not have: {sorted(kwargs)}")
        self.optimizer = optimizers.get(optimizer)
        _check_names(loss, metrics)
        self._given = loss, metrics or [], loss_weights
        self._loss, self._is_compiled = None, True
        # As in Keras: layers that are frozen later, in another model, are trained in this one.
        self._trained = list(self.trainable_weights) if self.built else []

    @property
    def metrics_names(self) -> list[str]:
        """What `evaluate` returns, by name."""
        if self.outputs is not None:
            self._assemble()
        return list(self._wanted)

    @property
    def output_names(self) -> list[str]:
        """The layers that the outputs are of."""
        made = [call_that_made(output) for output in self.outputs]
        return [self.name if call is None else call.layer.name for call in made]

    def _each(self, given: Any, what: str) -> list[Any]:
        """Something for each output."""
        names = self.output_names
        if isinstance(given, dict):
            if unknown := set(given) - set(names):
                raise ValueError(f"Unknown entries in {what} dictionary: {sorted(unknown)}")
            return [given.get(name) for name in names]
        if isinstance(given, list | tuple) and what != "metrics":
            if len(given) != len(names):
                raise ValueError(f"{len(names)} outputs, but {len(given)} of {what}.")
            return list(given)
        if what == "metrics" and given and isinstance(given[0], list | tuple):
            return list(given)
        return [given] * len(names)

    def _assemble(self) -> None:
        """Build losses and metrics, once."""
        if self._loss is not None:
            return
        if not self._is_compiled:
            raise RuntimeError(
                "You must compile your model before training/testing. Use `model.compile(optimizer,"
                " loss)`."
            )
        loss, wanted, factors = self._given
        found = [losses.get(each) for each in self._each(loss, "loss")]
        factor = self._each(1.0 if factors is None else factors, "loss_weights")
        self._targets: list[Any] = []
        self._wanted: dict[str, Any] = {"loss": None}
        total: Any = 0.0
        more = {}
        with backend.name_scope("loss"):
            weights = ops.placeholder_with_default(
                np.ones([1], np.float32), [None], "sample_weights"
            )
            self._sample_weights = weights
            for name, output, function, times, of in zip(
                self.output_names, self.outputs, found, factor, self._each(wanted, "metrics")
            ):
                if function is None:
                    continue
                target = self._target(name, output, function)
                self._targets.append(target)
                one = _mean(function, target, output, weights)
                total = total + one * (1.0 if times is None else times)
                several = len(self.outputs) > 1
                prefix = f"{name}_" if several else ""
                if several:
                    self._wanted[f"{prefix}loss"] = one
                for metric in of if isinstance(of, list | tuple) else [of]:
                    if metric is not None:
                        key, value = metrics._for_output(metric, function, output)
                        more[prefix + key] = ops.reduce_mean(value(target, output))
            for loss in self.losses:
                total = total + loss
        self._wanted |= more
        self._wanted["loss"] = self._loss = total
        self._step: Any = None

    def _target(self, name: str, output: Any, function: Any) -> Any:
        kind = getattr(function, "__name__", type(function).__name__).lower()
        sizes = output.shape.sizes
        if kind.startswith("sparse"):  # a number in place of as many as there are classes
            sizes = (*(sizes or [None])[:-1], 1)
        return ops.placeholder(dtypes.float32, sizes, f"{name}_target")

    def _train_step(self) -> Any:
        if self._step is None:
            weights = self._trained or self.trainable_weights
            self._step = [self.optimizer.get_updates(self._loss, weights), self.updates]
        return self._step

    # Steps ------------------------------------------------------------------------------------

    def _feed(self, x: Any, y: Any, weights: Any, training: bool) -> dict[Any, Any]:
        _check_number("input", self.inputs, x)
        feed = {place: _as(place, value, "input") for place, value in zip(self.inputs, x)}
        targets = zip(getattr(self, "_targets", ()), y)
        feed |= {place: _as(place, value, "target") for place, value in targets}
        if weights is not None:
            feed[self._sample_weights] = weights
        phase = backend.learning_phase()
        if not isinstance(phase, int):
            feed[phase] = training
        return feed

    def _run(self, x: Any, y: Any, weights: Any, training: bool) -> list[float]:
        self._assemble()
        step = self._train_step() if training else []
        _check_number("target", self._targets, y)
        feed = self._feed(x, y, weights, training)
        values = list(self._wanted.values())
        return [float(value) for value in backend.get_session().run([values, step], feed)[0]]

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None
    ) -> Any:
        """A step of training; its loss, or a list with the metrics behind."""
        x, y, weights = self._arrays(x, y, sample_weight, class_weight)
        return _alone(self._run(x, y, weights, True))

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """The loss, or a list with the metrics behind."""
        x, y, weights = self._arrays(x, y, sample_weight, None)
        return _alone(self._run(x, y, weights, False))

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs."""
        x = self._arrays(x, None, None, None)[0]
        return _alone(backend.get_session().run(self.outputs, self._feed(x, [], None, False)))

    def _arrays(self, x: Any, y: Any, weights: Any, by_class: Any) -> tuple[Any, Any, Any]:
        """Inputs and targets as lists of arrays, and a weight for each example, or None."""
        given = [np.asarray(each) for each in _listed(x, "inputs", self)]
        self._begin_with(given)
        y = [] if y is None else [np.asarray(each) for each in _listed(y, "outputs", self)]
        if len({len(each) for each in [*given, *y]}) > 1:
            numbers = [f"{len(each)} input" for each in given]
            numbers += [f"{len(each)} target" for each in y]
            raise ValueError(
                "Input arrays should have the same number of samples as target arrays. Found "
                f"{' samples and '.join(numbers)} samples."
            )
        if by_class is not None:
            classes = y[0].argmax(-1) if y[0].ndim > 1 and y[0].shape[-1] > 1 else y[0].reshape(-1)
            each = np.array([by_class[int(number)] for number in classes], np.float32)
            weights = each if weights is None else each * weights
        return given, y, weights

    def _begin_with(self, x: list[Any]) -> None:
        """Make the inputs, of arrays, if the model was not given any."""
        if self.inputs is None:
            made = [
                ops.placeholder(dtypes.float32, [None, *each.shape[1:]], f"{self.name}_input")
                for each in x
            ]
            outputs = self(made[0] if len(made) == 1 else made)
            self.inputs, self.outputs = made, nest.flatten(outputs)

    # Loops ------------------------------------------------------------------------------------

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
    ) -> History:
        """Train with arrays.

        Args:
          x, y: inputs and targets: an array, or a list of them, or a dict by names.
          batch_size: how many at once, 32.
          epochs: how often all; initial_epoch: their first number.
          verbose: whether it prints a line for each epoch. callbacks: of `tf.keras.callbacks`.
          validation_split: the share of the last ones that are not trained with, but evaluated.
          validation_data: (x, y) to be evaluated.
          shuffle: whether their order is another each time.
          class_weight: number of a class -> how much it counts. sample_weight: of each example.

        Returns:
          a `History`.

        Raises:
          RuntimeError: if it was not compiled. ValueError: if arrays do not fit.
        """
        data = self._arrays(x, y, sample_weight, class_weight)
        checked = None
        if validation_data is not None:
            theirs, labels, *rest = validation_data
            checked = self._arrays(theirs, labels, rest[0] if rest else None, None)
        elif 0 < validation_split < 1:
            cut = int(len(data[0][0]) * (1.0 - validation_split))
            data, checked = _part(data, slice(0, cut)), _part(data, slice(cut, None))
        number, size = len(data[0][0]), 32 if batch_size is None else batch_size
        self._assemble()
        names = list(self._wanted)
        history = History()
        params: dict[str, Any] = {
            "batch_size": size,
            "epochs": epochs,
            "steps": None,
            "samples": number,
        }
        params |= {"verbose": verbose, "do_validation": checked is not None}
        params["metrics"] = names + [f"val_{name}" for name in names if checked is not None]
        call = _CallbackList([*(callbacks or ()), history], self, params)
        if verbose:
            also = "" if checked is None else f", validate on {len(checked[0][0])} samples"
            print(f"Train on {number} samples{also}")
        self.stop_training = False
        call("on_train_begin")
        for epoch in range(initial_epoch, epochs):
            began = time.monotonic()
            call("on_epoch_begin", epoch)
            logs = dict(zip(names, self._all(data, size, True, shuffle, call)))
            if checked is not None:
                logs |= zip([f"val_{name}" for name in names], self._all(checked, size))
            call("on_epoch_end", epoch, logs)
            if verbose:
                shown = "".join(f" - {name}: {value:.4f}" for name, value in logs.items())
                print(f"Epoch {epoch + 1}/{epochs}")
                print(f"{number}/{number} - {time.monotonic() - began:.0f}s{shown}")
            if self.stop_training:
                break
        call("on_train_end")
        return history

    def _all(
        self, data: Any, size: int, training: bool = False, shuffle: bool = False, call: Any = None
    ) -> list[float]:
        """Losses and metrics of all examples, batch by batch: their mean."""
        self._assemble()
        order = np.arange(len(data[0][0]))
        if shuffle:
            np.random.shuffle(order)
        # Losses of several outputs are means of batches, whatever their sizes: as in Keras.
        names = [name.removesuffix("_loss") for name in self._wanted]
        is_one = np.array([name in self.output_names and len(self.outputs) > 1 for name in names])
        sums, times = np.zeros(len(names)), np.zeros(len(names))
        for index, rows in enumerate(_batches(order, size)):
            if call is not None:
                call("on_batch_begin", index, {"batch": index, "size": len(rows)})
            x, y, weights = _part(data, rows)
            values = self._run(x, y, weights, training)
            factor = np.where(is_one, 1, len(rows))
            sums, times = sums + factor * np.array(values), times + factor
            if call is not None:
                logs = {"batch": index, "size": len(rows), **dict(zip(self._wanted, values))}
                call("on_batch_end", index, logs)
        return [float(value) for value in sums / times]

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: int = 1,
        sample_weight: Any = None,
    ) -> Any:
        """The loss of all examples, or a list with the metrics behind.

        Args are those of `fit`.
        """
        return _alone(
            self._all(
                self._arrays(x, y, sample_weight, None), 32 if batch_size is None else batch_size
            )
        )

    def predict(self, x: Any, batch_size: int | None = None, verbose: int = 0) -> Any:
        """The outputs for all examples: an array, or a list of them."""
        x = self._arrays(x, None, None, None)[0]
        parts = [
            backend.get_session().run(
                self.outputs, self._feed([each[rows] for each in x], [], None, False)
            )
            for rows in _batches(np.arange(len(x[0])), 32 if batch_size is None else batch_size)
        ]
        return _alone([np.concatenate(each) for each in zip(*parts)])


def _mean(function: Any, target: Any, output: Any, weights: Any) -> Any:
    if isinstance(function, losses.Loss):
        function = function.call
    each = function(target, output)
    if each.shape.ndims is None or each.shape.ndims > 1:
        each = ops.reduce_mean(each, list(range(1, each.shape.ndims or 2)))
    return ops.reduce_mean(each * weights)


def _check_names(loss: Any, wanted: Any) -> None:
    for each in nest.flatten(loss):
        losses.get(each)
    for each in nest.flatten(wanted):
        if each not in ("accuracy", "acc"):
            metrics.get(each)


def _check_number(what: str, places: list[Any], given: list[Any]) -> None:
    if len(given) < len(places):
        names = [place.op.name.removeprefix("loss/").removesuffix("_target") for place in places]
        raise ValueError(
            f"Error when checking model {what}: the list of Numpy arrays that you are passing to "
            f"your model is not the size the model expected. Expected to see {len(places)} "
            f"array(s), for {names}, but instead got {len(given)}."
        )


def _as(place: Any, value: Any, what: str) -> Any:
    """What is fed, labels [batch] for outputs [batch, 1]; or why it does not fit."""
    rank = place.shape.ndims
    value = value[..., None] if rank is not None and value.ndim == rank - 1 else value
    if not place.shape.is_compatible_with(value.shape):
        name = place.op.name.removeprefix("loss/").removesuffix("_target")
        more = "" if what == "input" else " 'sparse' losses take classes' numbers, others rows."
        raise ValueError(
            f"Error when checking {what}: expected {name} to have "
            f"shape {place.shape.sizes[1:]} but got array with shape {value.shape[1:]}.{more}"
        )
    return value


def _listed(given: Any, what: str, model: Any) -> list[Any]:
    if isinstance(given, dict):
        tensors = model.inputs if what == "inputs" else None
        names = [t.op.name for t in tensors] if tensors else model.output_names
        return [given[name] for name in names]
    if isinstance(given, list | tuple) and given and not np.isscalar(given[0]):
        expected = getattr(model, what)
        if isinstance(given[0], np.ndarray) or (expected and len(expected) > 1):
            return list(given)
    if not isinstance(given, list | tuple | np.ndarray) and not hasattr(given, "__array__"):
        raise ValueError(
            f"Please provide arrays, not {type(given).__name__}: tinytf's models are trained with "
            f"arrays; from a tf.data.Dataset take its tensors, and train in a loop of sess.run."
        )
    return [given]


def _part(data: Any, rows: Any) -> Any:
    x, y, weights = data
    few = None if weights is None else np.asarray(weights)[rows]
    return [each[rows] for each in x], [each[rows] for each in y], few


def _batches(order: Any, size: int) -> Iterator[Any]:
    if size < 1:
        raise ValueError(f"batch_size should be a positive integer. Given: {size}")
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _alone(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values
