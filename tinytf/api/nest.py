"""`tf.nest`: nested structures of tensors."""

from tinytf.api.names import explained as _explained
from tinytf.framework.nest import assert_same_structure, flatten, is_nested, map_structure
from tinytf.framework.nest import pack_sequence_as

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]

__getattr__ = _explained(__name__, "nest")
