"""`tf.keras.callbacks`: what `fit` calls at the beginning and the end of things."""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

import numpy as np


class Callback:
    """To be derived from (TensorFlow: `tf.keras.callbacks.Callback`).

    Attributes:
      model: that is trained. params: what `fit` was given.

    Example:
      >>> class Shown(tf.keras.callbacks.Callback):
      ...     def on_epoch_end(self, epoch, logs=None):
      ...         print(epoch, sorted(logs))
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
      >>> model.compile("sgd", "mse")
      >>> history = model.fit(np.ones([4, 2]), np.ones([4]), verbose=0, callbacks=[Shown()])
      0 ['loss']
    """

    model: Any = None
    params: Any = None

    def set_model(self, model: Any) -> None:
        """Keep the model."""
        self.model = model

    def set_params(self, params: Any) -> None:
        """Keep what `fit` was given."""
        self.params = params

    def on_train_begin(self, logs: Any = None) -> None:
        """Before the first epoch."""

    def on_train_end(self, logs: Any = None) -> None:
        """After the last epoch."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """After an epoch; `logs` has its losses and metrics."""

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Before a batch."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """After a batch; `logs` has its losses and metrics."""


class History(Callback):
    """Losses and metrics of all epochs (TensorFlow: `tf.keras.callbacks.History`).

    Attributes:
      epoch: their numbers. history: name -> values.

    Example:
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
      >>> model.compile("sgd", "mse")
      >>> history = model.fit(np.ones([4, 2]), np.ones([4]), epochs=2, verbose=0)
      >>> history.epoch, history.history["loss"][0]
      ([0, 1], 1.0)
    """

    def on_train_begin(self, logs: Any = None) -> None:
        self.epoch: list[int] = []
        self.history: dict[str, list[float]] = {}

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LearningRateScheduler(Callback):
    """A learning rate for each epoch (TensorFlow: `tf.keras.callbacks.LearningRateScheduler`).

    Args:
      schedule: the rate, of an epoch's number, and perhaps of the rate so far.

    Example:
      >>> once = tf.keras.callbacks.LearningRateScheduler(lambda epoch: [0.1, 0.0, 0.0][epoch])
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
      >>> model.compile("sgd", "mse")
      >>> h = model.fit(np.ones([4, 2]), np.ones([4]), epochs=3, verbose=0, callbacks=[once])
      >>> [round(loss, 2) for loss in h.history["loss"]]
      [1.0, 0.16, 0.16]
    """

    def __init__(self, schedule: Function[..., float], verbose: int = 0) -> None:
        self.schedule = schedule

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        from tinytf.keras import backend

        rate = self.model.optimizer.learning_rate
        try:
            new = self.schedule(epoch, float(backend.get_value(rate)))
        except TypeError:  # of the number alone
            new = self.schedule(epoch)
        backend.set_value(rate, new)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        from tinytf.keras import backend

        (logs if logs is not None else {})["lr"] = backend.get_value(self.model.optimizer.lr)


class EarlyStopping(Callback):
    """An end when nothing gets better (TensorFlow: `tf.keras.callbacks.EarlyStopping`).

    Args:
      monitor: what of the logs. min_delta: by how much. patience: for how many epochs.
      mode: "min", "max", or "auto": accuracies are to be large.
      baseline: what has to be passed. restore_best_weights: whether the best come back.

    Raises:
      ValueError: in training, if the logs have no such value.

    Example:
      >>> stop = tf.keras.callbacks.EarlyStopping("loss", patience=2)
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
      >>> model.compile(tf.keras.optimizers.SGD(0.0), "mse")
      >>> h = model.fit(np.ones([4, 2]), np.ones([4]), epochs=9, verbose=0, callbacks=[stop])
      >>> len(h.epoch)
      3
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        self.monitor, self.min_delta, self.patience = monitor, abs(min_delta), patience
        self.sign = 1 if mode == "max" or (mode == "auto" and "acc" in monitor) else -1
        self.baseline, self.restore = baseline, restore_best_weights

    def on_train_begin(self, logs: Any = None) -> None:
        self.wait, self.stopped_epoch = 0, 0
        self.best_weights: Any = None
        self.best = -self.sign * np.inf if self.baseline is None else self.baseline

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        value = (logs or {}).get(self.monitor)
        if value is None:
            raise ValueError(
                f"Early stopping conditioned on metric `{self.monitor}` which is not available. "
                f"Available metrics are: {','.join(logs or {})}"
            )
        if self.sign * (value - self.best) > self.min_delta:
            self.best, self.wait = value, 0
            self.best_weights = self.model.get_weights() if self.restore else None
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch, self.model.stop_training = epoch, True
            if self.best_weights is not None:
                self.model.set_weights(self.best_weights)


class _CallbackList:
    """All of a `fit`: what is called of one, is called of each."""

    def __init__(self, callbacks: Any, model: Any, params: dict[str, Any]) -> None:
        self.callbacks = list(callbacks)
        for callback in self.callbacks:
            callback.set_model(model)
            callback.set_params(params)

    def __call__(self, method: str, *args: Any) -> None:
        """Call a method of each."""
        for callback in self.callbacks:
            getattr(callback, method)(*args)
