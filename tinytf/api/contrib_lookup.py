"""`tf.contrib.lookup`: tables, as TensorFlow 1.x had them before `tf.lookup`."""

from tinytf.api.names import explained as _explained
from tinytf.ops.lookup.id_tables import FastHashSpec, HasherSpec, IdTableWithHashBuckets
from tinytf.ops.lookup.id_tables import StrongHashSpec
from tinytf.ops.lookup.initializers import KeyValueTensorInitializer, TableInitializerBase
from tinytf.ops.lookup.initializers import TextFileIdTableInitializer, TextFileIndex
from tinytf.ops.lookup.initializers import TextFileInitializer, TextFileStringTableInitializer
from tinytf.ops.lookup.mutable import DenseHashTable as MutableDenseHashTable
from tinytf.ops.lookup.tables import LookupInterface
from tinytf.ops.lookup.tables import StaticHashTable as InitializableLookupTableBase
from tinytf.ops.lookup.vocabularies import HashTable, MutableHashTable, index_table_from_file
from tinytf.ops.lookup.vocabularies import index_table_from_tensor, index_to_string
from tinytf.ops.lookup.vocabularies import index_to_string_table_from_file
from tinytf.ops.lookup.vocabularies import index_to_string_table_from_tensor, string_to_index
from tinytf.ops.lookup.vocabularies import string_to_index_table_from_file
from tinytf.ops.lookup.vocabularies import string_to_index_table_from_tensor

__all__ = ["FastHashSpec", "HashTable", "HasherSpec", "IdTableWithHashBuckets"]
__all__ += ["InitializableLookupTableBase", "KeyValueTensorInitializer", "LookupInterface"]
__all__ += ["MutableDenseHashTable", "MutableHashTable", "StrongHashSpec", "TableInitializerBase"]
__all__ += ["TextFileIdTableInitializer", "TextFileIndex", "TextFileInitializer"]
__all__ += ["TextFileStringTableInitializer", "index_table_from_file", "index_table_from_tensor"]
__all__ += ["index_to_string", "index_to_string_table_from_file"]
__all__ += ["index_to_string_table_from_tensor", "string_to_index"]
__all__ += ["string_to_index_table_from_file", "string_to_index_table_from_tensor"]

__getattr__ = _explained(__name__, "contrib.lookup")
