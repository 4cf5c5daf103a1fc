"""`tf.lookup`: tables from words to numbers and back."""

from tinytf.api import lookup_experimental as experimental
from tinytf.api.names import explained
from tinytf.ops.lookup.id_tables import StaticVocabularyTable
from tinytf.ops.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)
from tinytf.ops.lookup.tables import StaticHashTable

__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex",
    "TextFileInitializer", "experimental",
]  # fmt: skip

__getattr__ = explained(__name__, "lookup")
