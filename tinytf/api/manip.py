"""`tf.manip`: moving the elements of tensors about."""

from tinytf.ops.rearranging import tile
from tinytf.ops.shapes import reshape
from tinytf.ops.nd_indices import gather_nd, scatter_nd
from tinytf.ops.reversing import reverse, roll
from tinytf.ops.space_and_batch import batch_to_space_nd, space_to_batch_nd

__all__ = ["batch_to_space_nd", "gather_nd", "reshape", "reverse", "roll", "scatter_nd"]
__all__ += ["space_to_batch_nd", "tile"]
