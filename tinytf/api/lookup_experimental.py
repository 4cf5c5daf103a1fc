"""`tf.lookup.experimental`: tables that can be changed."""

from tinytf.api.names import explained
from tinytf.ops.lookup.mutable import DenseHashTable, MutableHashTable

__all__ = ["DenseHashTable", "MutableHashTable"]

__getattr__ = explained(__name__, "lookup.experimental")
