"""`tf.keras.Model` and `Sequential`: layers between inputs and outputs."""

from __future__ import annotations

from functools import partial
from typing import Any

from tinytf.framework import nest
from tinytf.keras import backend, base_layer, training
from tinytf.keras.layers import Input, InputLayer, Layer
from tinytf.training.saver import Saver


class Model(training.Trained):
    """All layers between inputs and outputs (TensorFlow: `tf.keras.Model`).

    Or derive from it: layers are attributes, and `call(inputs)` uses them.

    Args:
      inputs: what `tf.keras.Input` gave, or a list of it. outputs: what layers made of it.
      name: by default "model".

    Raises:
      ValueError: if the outputs depend on other inputs.

    Example:
      >>> x = tf.keras.Input(shape=(2,))
      >>> y = tf.keras.layers.Dense(1, kernel_initializer="ones")(x)
      >>> model = tf.keras.Model(x, y)
      >>> print(model.predict(np.array([[1.0, 2.0]])))
      [[3.]]
    """

    def __init__(self, inputs: Any = None, outputs: Any = None, name: Any = None) -> None:
        super().__init__(name=name)
        self._between: list[base_layer.Call] = []
        if inputs is not None:
            self._connect(inputs, outputs)

    def _connect(self, inputs: Any, outputs: Any) -> None:
        self._structure = outputs
        self.inputs, self.outputs = nest.flatten(inputs), nest.flatten(outputs)
        self._between = _calls_between(self.inputs, self.outputs)
        self.built, self._loss = True, None
        if not self.calls:
            self._record_first(inputs, outputs)

    def _record_first(self, inputs: Any, outputs: Any) -> None:
        self.calls.append(base_layer.Call(self, inputs, (), {}, outputs))

    @property
    def layers(self) -> list[Any]:
        """The layers, inputs first."""
        if self._between:
            begin = [base_layer.call_that_made(tensor) for tensor in self.inputs]
            found = [call.layer for call in [*begin, *self._between] if call is not None]
        else:
            values = nest.flatten([v for k, v in sorted(vars(self).items()) if k != "calls"])
            found = [value for value in vars(self).values() if isinstance(value, Layer)]
            found += [v for v in values if isinstance(v, Layer) and v not in found]
        return list(dict.fromkeys(found))

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """A layer by its name, or its number.

        Raises:
          ValueError: if there is none.
        """
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(
            f"No such layer: {name}. Existing layers are: {[layer.name for layer in self.layers]}."
        )

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs for other inputs: all layers are called again."""
        values = {old.name: new for old, new in zip(self.inputs, nest.flatten(inputs))}
        for call in self._between:
            given = nest.map_structure(partial(_new, values), call.inputs)
            kwargs = dict(call.kwargs)
            if training is not None and call.layer.in_phases:
                kwargs["training"] = training
            made = call.layer(given, *call.args, **kwargs)
            pairs = zip(nest.flatten(call.outputs), nest.flatten(made))
            values |= {old.name: new for old, new in pairs}
        if missing := [t.name for t in self.outputs if t.name not in values]:
            raise ValueError(f"{missing} were made by operations: put these into a Lambda layer.")
        return nest.map_structure(lambda t: values[t.name], self._structure)

    def _gathered(self, what: str, own: list[Any]) -> list[Any]:
        """What the model has itself, and its layers."""
        return list(dict.fromkeys([*own, *(v for one in self.layers for v in getattr(one, what))]))

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained, layer by layer."""
        if not self.trainable:
            return []
        return self._gathered("trainable_weights", self._trainable_weights)

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not."""
        trained = {id(variable) for variable in self.trainable_weights}
        return [variable for variable in self.weights if id(variable) not in trained]

    @property
    def weights(self) -> list[Any]:
        """All variables, layer by layer."""
        return self._gathered("weights", [*self._trainable_weights, *self._non_trainable_weights])

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    @property
    def losses(self) -> list[Any]:
        """What layers add to the loss."""
        return self._gathered("losses", self._losses)

    @property
    def updates(self) -> list[Any]:
        """What is run in training besides, moving averages for example."""
        return self._gathered("updates", self._updates) if self.trainable else []

    def save_weights(self, filepath: str, overwrite: bool = True, save_format: Any = None) -> None:
        """Write the variables' values as a checkpoint of `tf.train.Saver`.

        Raises:
          ValueError: for an HDF5 file.
        """
        self._saver(filepath).save(
            backend.get_session(), filepath, write_meta_graph=False, write_state=False
        )

    def load_weights(self, filepath: str, by_name: bool = False) -> None:
        """Read what `save_weights` wrote."""
        self._saver(filepath).restore(backend.get_session(), filepath)

    def _saver(self, filepath: str) -> Saver:
        if filepath.endswith((".h5", ".hdf5", ".keras")):
            raise ValueError(
                f"{filepath}: HDF5 is not in tinytf. A path without .h5 is a checkpoint; "
                f"tf.saved_model.simple_save writes a whole model."
            )
        if not self.weights:
            raise ValueError(f"Model {self.name} has no variables yet: call it, or fit it, first.")
        return Saver(self.weights)

    def count_params(self) -> int:
        """How many numbers its variables have."""
        return _count(self.weights)

    def summary(self, line_length: int | None = None, print_fn: Any = print) -> None:
        """Print the layers, the shapes of their outputs, and how many numbers they have."""
        if not self.built and self.outputs is None:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling it on a batch "
                "of data, or give its first layer an input_shape."
            )
        width = line_length or 65
        ends = [int(width * part) for part in (0.45, 0.85, 1.0)]

        def row(*fields: Any) -> None:
            line = ""
            for field, end in zip(fields, ends):
                line = (f"{line[:-1]} " if line else "") + str(field)
                line = line[:end].ljust(end)
            print_fn(line)

        print_fn(f'Model: "{self.name}"')
        print_fn("_" * width)
        row("Layer (type)", "Output Shape", "Param #")
        print_fn("=" * width)
        for number, layer in enumerate(self.layers):
            shape = layer.output_shape if layer.calls else "multiple"
            row(f"{layer.name} ({type(layer).__name__})", shape, _count(layer.weights))
            print_fn(("=" if number == len(self.layers) - 1 else "_") * width)
        trained = _count(self.trainable_weights)
        print_fn(f"Total params: {self.count_params():,}")
        print_fn(f"Trainable params: {trained:,}")
        print_fn(f"Non-trainable params: {self.count_params() - trained:,}")
        print_fn("_" * width)


class Sequential(Model):
    """One layer behind the other (TensorFlow: `tf.keras.Sequential`).

    Args:
      layers: them; if the first knows `input_shape`, variables are made at once, otherwise by the
        first inputs. name: by default "sequential".

    Example:
      >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
      >>> model.compile("sgd", "mse")
      >>> history = model.fit(np.ones([4, 2]), np.ones([4]), epochs=3, verbose=0)
      >>> len(history.history["loss"])
      3
    """

    def __init__(self, layers: Any = None, name: Any = None) -> None:
        super().__init__(name=name)
        self._stack: list[Any] = []
        for layer in layers or ():
            self.add(layer)

    def add(self, layer: Any) -> None:
        """One more, at the end.

        Raises:
          TypeError: for what is no layer.
        """
        if not isinstance(layer, Layer):
            raise TypeError(f"The added layer must be an instance of class Layer. Found: {layer!r}")
        if isinstance(layer, InputLayer):
            self.inputs = [layer.output]
            self.outputs = [layer.output]
            return
        self._stack.append(layer)
        first = layer
        while isinstance(first, Model) and first.layers:
            first = first.layers[0]
        if self.outputs is None and first.batch_input_shape is not None and len(self._stack) == 1:
            whole, kind = tuple(first.batch_input_shape), first._dtype
            self.inputs = [Input(batch_shape=whole, dtype=kind, name=f"{layer.name}_input")]
            self.outputs = list(self.inputs)
        if self.outputs is not None:
            self._extend(layer)

    def _extend(self, layer: Any) -> None:
        self.calls.clear()
        self._connect(self.inputs[0], layer(self.outputs[0]))

    @property
    def layers(self) -> list[Any]:
        """The layers, in order."""
        return list(self._stack)

    def build(self, input_shape: Any = None) -> None:
        """Make the variables, of the shape of an input with its batch."""
        if self.outputs is None and input_shape is not None:
            self._begin(Input(batch_shape=tuple(input_shape), name=f"{self.name}_input"))
        self.built = True

    def _begin(self, tensor: Any) -> None:
        self.inputs = self.outputs = [tensor]
        for layer in self._stack:
            self._extend(layer)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if self._between:
            return super().call(inputs, training, mask)
        for layer in self._stack:
            inputs = layer(inputs)
        return inputs

    def _begin_with(self, x: list[Any]) -> None:
        if self.inputs is None:
            self.build((None, *x[0].shape[1:]))

    def predict_classes(self, x: Any, batch_size: int | None = None, verbose: int = 0) -> Any:
        """The likeliest class of each example; of one output, whether it is above 0.5."""
        found = self.predict(x, batch_size)
        return found.argmax(-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")


def _new(values: dict[str, Any], tensor: Any) -> Any:
    return values.get(tensor.name, tensor)


def _count(variables: list[Any]) -> int:
    return sum(variable.shape.num_elements() for variable in variables)


def _calls_between(inputs: list[Any], outputs: list[Any]) -> list[base_layer.Call]:
    """The calls that made outputs of inputs, those farthest from the outputs first.

    Operations between layers are passed through.
    """
    seen = {tensor.name for tensor in inputs}
    waiting = [(tensor, False) for tensor in reversed(outputs)]
    met: dict[Any, int] = {}
    made_by: dict[str, base_layer.Call] = {}
    ordered: list[tuple[Any, list[Any]]] = []
    while waiting:
        tensor, is_ready = waiting.pop()
        call = base_layer.call_that_made(tensor)
        before = list(tensor.op.inputs if call is None else nest.flatten(call.inputs))
        if is_ready:
            ordered.append((call or tensor, before))
            continue
        if tensor.name in seen:
            continue
        is_input = call is not None and isinstance(call.layer, InputLayer)
        if is_input or (call is None and tensor.op.type == "Placeholder"):
            raise ValueError(
                f"Graph disconnected: cannot obtain value for tensor {tensor}. It is none of the "
                f"model's inputs."
            )
        made = [tensor] if call is None else nest.flatten(call.outputs)
        seen |= {one.name for one in made}
        if call is not None:
            met.setdefault(call.layer, len(met))
        made_by |= {one.name: call or tensor for one in made}
        waiting.append((tensor, True))
        waiting += [(one, False) for one in reversed(before)]
    depths: dict[Any, int] = {}  # of layers, and of tensors between them
    for call, before in reversed(ordered):
        depth = depths.setdefault(_key(call), 0)
        for one in before:
            if one.name in made_by:
                key = _key(made_by[one.name])
                depths[key] = max(depths.get(key, 0), depth + 1)
    calls = [call for call, _ in ordered if isinstance(call, base_layer.Call)]
    return sorted(calls, key=lambda call: (-depths[call.layer], met[call.layer]))


def _key(made: Any) -> Any:
    return made.layer if isinstance(made, base_layer.Call) else made.name
