"""`tf.layers`: parts of networks, with their variables.

base.py            `Layer`, from which all derive: scopes, variables, losses, updates
input_spec.py      what a layer expects of its inputs
by_name.py         activation functions and initializers that are given by name
core.py            fully connected layers, dropout, flattening
convolutional.py   convolutions; transposed.py and separable.py: those of other kinds
normalization.py   batch normalisation
pooling.py         the largest, or the mean, of windows
contrib            `tf.contrib.layers`, `slim`, `arg_scope`
"""

from tinytf.layers.base import Layer
from tinytf.layers.convolutional import Conv1D, Conv2D, Conv3D, conv1d, conv2d, conv3d
from tinytf.layers.core import Dense, Dropout, Flatten, dense, dropout, flatten
from tinytf.layers.input_spec import InputSpec
from tinytf.layers.normalization import BatchNormalization, batch_normalization
from tinytf.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
    average_pooling1d,
    average_pooling2d,
    average_pooling3d,
    max_pooling1d,
    max_pooling2d,
    max_pooling3d,
)
from tinytf.layers.separable import (
    SeparableConv1D,
    SeparableConv2D,
    separable_conv1d,
    separable_conv2d,
)
from tinytf.layers.transposed import (
    Conv2DTranspose,
    Conv3DTranspose,
    conv2d_transpose,
    conv3d_transpose,
)

__all__ = ["Dense", "Dropout", "Flatten", "InputSpec", "Layer", "dense", "dropout", "flatten"]
__all__ += ["Conv1D", "Conv2D", "conv1d", "conv2d"]
__all__ += ["Conv2DTranspose", "conv2d_transpose"]
__all__ += ["BatchNormalization", "batch_normalization"]
__all__ += ["AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "average_pooling1d"]
__all__ += ["MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "average_pooling2d"]
__all__ += ["average_pooling3d", "max_pooling1d", "max_pooling2d", "max_pooling3d"]
__all__ += ["Conv3D", "Conv3DTranspose", "conv3d", "conv3d_transpose"]
__all__ += ["SeparableConv1D", "SeparableConv2D", "separable_conv1d", "separable_conv2d"]
