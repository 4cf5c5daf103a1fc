"""`tf.layers`: parts of networks, with their variables.

base.py         `Layer`, from which all derive: scopes, variables, losses, updates
input_spec.py   what a layer expects of its inputs
by_name.py      activation functions and initializers that are given by name
core.py         fully connected layers, dropout, flattening
convolutional.py  convolutions
"""

from tinytf.layers.base import Layer
from tinytf.layers.convolutional import (
    Conv1D,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    SeparableConv1D,
    SeparableConv2D,
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    separable_conv1d,
    separable_conv2d,
)
from tinytf.layers.core import Dense, Dropout, Flatten, dense, dropout, flatten
from tinytf.layers.input_spec import InputSpec

__all__ = ["Dense", "Dropout", "Flatten", "InputSpec", "Layer", "dense", "dropout", "flatten"]
__all__ += ["Conv1D", "Conv2D", "conv1d", "conv2d"]
__all__ += ["Conv2DTranspose", "conv2d_transpose"]
__all__ += ["Conv3D", "Conv3DTranspose", "conv3d", "conv3d_transpose"]
__all__ += ["SeparableConv1D", "SeparableConv2D", "separable_conv1d", "separable_conv2d"]
