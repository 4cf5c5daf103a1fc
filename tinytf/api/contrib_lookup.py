"""`tf.contrib.lookup`: tables, as TensorFlow 1.x had them before `tf.lookup`."""

from tinytf.api.names import explained
from tinytf.ops.lookup.id_tables import (
    FastHashSpec,
    HasherSpec,
    IdTableWithHashBuckets,
    StrongHashSpec,
)
from tinytf.ops.lookup.initializers import (
    KeyValueTensorInitializer,
    TableInitializerBase,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileInitializer,
    TextFileStringTableInitializer,
)
from tinytf.ops.lookup.mutable import DenseHashTable as MutableDenseHashTable
from tinytf.ops.lookup.tables import LookupInterface
from tinytf.ops.lookup.tables import StaticHashTable as InitializableLookupTableBase
from tinytf.ops.lookup.vocabularies import (
    HashTable,
    MutableHashTable,
    index_table_from_file,
    index_table_from_tensor,
    index_to_string,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
    string_to_index,
    string_to_index_table_from_file,
    string_to_index_table_from_tensor,
)

__all__ = [
    "FastHashSpec", "HashTable", "HasherSpec", "IdTableWithHashBuckets",
    "InitializableLookupTableBase", "KeyValueTensorInitializer", "LookupInterface",
    "MutableDenseHashTable", "MutableHashTable", "StrongHashSpec", "TableInitializerBase",
    "TextFileIdTableInitializer", "TextFileIndex", "TextFileInitializer",
    "TextFileStringTableInitializer", "index_table_from_file", "index_table_from_tensor",
    "index_to_string", "index_to_string_table_from_file", "index_to_string_table_from_tensor",
    "string_to_index", "string_to_index_table_from_file", "string_to_index_table_from_tensor",
]  # fmt: skip

__getattr__ = explained(__name__, "contrib.lookup")
