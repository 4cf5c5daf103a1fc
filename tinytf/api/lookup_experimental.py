"""`tf.lookup.experimental`: tables that can be changed."""

from tinytf.api.names import explained as _explained
from tinytf.ops.lookup.mutable import DenseHashTable, MutableHashTable

__all__ = ["DenseHashTable", "MutableHashTable"]

__getattr__ = _explained(__name__, "lookup.experimental")
