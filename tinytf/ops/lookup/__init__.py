"""Lookup tables: from words to numbers and back.

hash_table_ops.py         the op types that make a table, of either kind of handle
lookup_table_ops.py       what is done with one: find, insert, remove, import, export, size
initialize_table_ops.py   the op types that fill static tables, from tensors and from text files
tables.py                 what the classes share, `tf.lookup.StaticHashTable`
initializers.py           what they are filled with: `tf.lookup.TextFileInitializer` and its kin
id_tables.py              `tf.lookup.StaticVocabularyTable`: numbers for unknown words, too
vocabularies.py           `tf.contrib.lookup.index_table_from_file` and its kin
mutable.py                `tf.lookup.experimental.MutableHashTable` and `DenseHashTable`
"""
