"""Lookup tables (TensorFlow: `tensorflow.python.ops.lookup_ops`).

from tinytf.python.ops import lookup_ops
table = lookup_ops.index_table_from_tensor(["emerson", "lake"], num_oov_buckets=1)
"""

from tinytf.ops.lookup.id_tables import (
    FastHashSpec,
    HasherSpec,
    IdTableWithHashBuckets,
    StaticVocabularyTable,
    StrongHashSpec,
)
from tinytf.ops.lookup.id_tables import StaticVocabularyTable as StaticVocabularyTableV1
from tinytf.ops.lookup.initializers import (
    KeyValueTensorInitializer,
    TableInitializerBase,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileInitializer,
    TextFileStringTableInitializer,
    tables_initializer,
)
from tinytf.ops.lookup.initializers import tables_initializer as initialize_all_tables
from tinytf.ops.lookup.mutable import DenseHashTable, MutableHashTable
from tinytf.ops.lookup.tables import LookupInterface, StaticHashTable
from tinytf.ops.lookup.tables import StaticHashTable as HashTable
from tinytf.ops.lookup.tables import StaticHashTable as StaticHashTableV1
from tinytf.ops.lookup.vocabularies import (
    index_table_from_file,
    index_table_from_tensor,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
)

__all__ = [
    "DenseHashTable",
    "FastHashSpec",
    "HashTable",
    "HasherSpec",
    "IdTableWithHashBuckets",
    "KeyValueTensorInitializer",
    "LookupInterface",
    "MutableHashTable",
    "StaticHashTable",
    "StaticHashTableV1",
    "StaticVocabularyTable",
    "StaticVocabularyTableV1",
    "StrongHashSpec",
    "TableInitializerBase",
    "TextFileIdTableInitializer",
    "TextFileIndex",
    "TextFileInitializer",
    "TextFileStringTableInitializer",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
    "initialize_all_tables",
    "tables_initializer",
]
