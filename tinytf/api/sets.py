"""`tf.sets`: sets in the last dimension of tensors."""

from tinytf.api.names import explained as _explained
from tinytf.ops.array.sets import set_difference, set_intersection, set_size, set_union
from tinytf.ops.array.sets import set_difference as difference
from tinytf.ops.array.sets import set_intersection as intersection
from tinytf.ops.array.sets import set_size as size
from tinytf.ops.array.sets import set_union as union

__all__ = ["difference", "intersection", "set_difference", "set_intersection", "set_size"]
__all__ += ["set_union", "size", "union"]

__getattr__ = _explained(__name__, "sets")
