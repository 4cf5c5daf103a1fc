import tinytf as tf


def build_pipeline(sequence, layers, devices):
    """Return the states of the highest layer, one for each step.

    sequence: tensors, one for each step
    layers: functions from the lowest to the highest; layer(value, state)
        builds a cell and returns its new state; state is None in step 0
    devices: a name for each layer
    """
    raise NotImplementedError("write this function")
