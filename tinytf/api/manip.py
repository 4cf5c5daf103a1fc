"""`tf.manip`: moving the elements of tensors about."""

from tinytf.ops.array.tile import tile
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.gather_nd import gather_nd
from tinytf.ops.array.scatter_nd import scatter_nd
from tinytf.ops.array.reverse import reverse
from tinytf.ops.array.roll import roll
from tinytf.ops.array.space_to_batch import batch_to_space_nd, space_to_batch_nd

__all__ = ["batch_to_space_nd", "gather_nd", "reshape", "reverse", "roll", "scatter_nd"]
__all__ += ["space_to_batch_nd", "tile"]
