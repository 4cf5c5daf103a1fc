"""The array ops under one name: `from tinytf.ops.arrays import concat, reshape`.

The cards are in the modules named here, one idea each. One that a gradient needs may
be imported inside the gradient.
"""

from tinytf.ops.array import mirror_pad  # noqa: F401  (old graphs may hold nodes of its ops)
from tinytf.ops.array.broadcast_to import broadcast_static_shape, broadcast_to
from tinytf.ops.array.concat import concat
from tinytf.ops.array.fill import fill, is_zeros, ones, ones_like, zeros, zeros_like
from tinytf.ops.array.gather import gather
from tinytf.ops.array.identity import identity, identity_n, prevent_gradient, stop_gradient
from tinytf.ops.array.one_hot import one_hot
from tinytf.ops.array.pad import pad
from tinytf.ops.array.reshape import (
    deprecated_lookup,
    expand_dims,
    reshape,
    reshape_to_input,
    squeeze,
)
from tinytf.ops.array.shape import rank, shape, shape_n, size
from tinytf.ops.array.slice import getitem, newaxis, slice, strided_slice
from tinytf.ops.array.split import split
from tinytf.ops.array.stack import pack, stack, unstack
from tinytf.ops.array.tile import tile
from tinytf.ops.array.transpose import invert_permutation, transpose
from tinytf.ops.base import autopacking  # noqa: F401  (lists that hold tensors convert)

__all__ = [
    "broadcast_static_shape",
    "broadcast_to",
    "concat",
    "deprecated_lookup",
    "expand_dims",
    "fill",
    "gather",
    "getitem",
    "identity",
    "identity_n",
    "invert_permutation",
    "is_zeros",
    "newaxis",
    "one_hot",
    "ones",
    "ones_like",
    "pack",
    "pad",
    "prevent_gradient",
    "rank",
    "reshape",
    "reshape_to_input",
    "shape",
    "shape_n",
    "size",
    "slice",
    "split",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "tile",
    "transpose",
    "unstack",
    "zeros",
    "zeros_like",
]
