"""What static tables are filled with. Mirrors tensorflow/python/ops/lookup_ops.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import DType
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.lookup.initialize_table_ops import (
    LINE_NUMBER,
    WHOLE_LINE,
    initialize_table_from_text_file,
)
from tinytf.ops.lookup.lookup_table_ops import lookup_table_import


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An operation that fills the graph's lookup tables (TensorFlow: `tf.tables_initializer`).

    It runs all of the collection `tf.GraphKeys.TABLE_INITIALIZERS`. Without tables it does nothing.

    Example:
      >>> tf.tables_initializer().run()
    """
    fillers = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*fillers, name=name) if fillers else no_op(name=name)


def check_dtypes(table: Any, key_dtype: DType, value_dtype: DType) -> None:
    """TypeError unless the types are those of a table's keys and values."""
    for what, given, wanted in (
        ("key", key_dtype, table.key_dtype),
        ("value", value_dtype, table.value_dtype),
    ):
        if given.base_dtype != wanted:
            raise TypeError(f"Invalid {what} dtype for table, expected {wanted} but got {given}.")


class TableInitializerBase:
    """What a table is filled with; see the subclasses.

    Args:
      key_dtype, value_dtype: of the keys and values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """Of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """Of the values."""
        return self._value_dtype

    @property
    def shared_name(self) -> str:
        """Under which name tables filled from the same source are one; "" for a table each."""
        return ""

    def initialize(self, table: Any) -> Operation:
        """The operation that fills a table; it joins the graph's TABLE_INITIALIZERS."""
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializerBase):
    """Keys and values from two tensors (TensorFlow: `tf.lookup.KeyValueTensorInitializer`).

    Args:
      keys, values: vectors of one length. A key may come twice, with the same value.
      key_dtype, value_dtype: of them, where they are no tensors yet.
      name: of the operation that fills a table.

    Raises:
      TypeError: if a table is of other types. ValueError: for tensors that are no such vectors.

    Example:
      >>> pairs = tf.lookup.KeyValueTensorInitializer(["emerson", "lake"], [0, 1])
      >>> table = tf.lookup.StaticHashTable(pairs, default_value=-1)
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ):
        if get_default_graph()._scopes.flow is None:
            self._convert(keys, values, key_dtype, value_dtype)
        else:  # the operation that fills the table runs outside
            with get_default_graph().control_dependencies(None):
                self._convert(keys, values, key_dtype, value_dtype)
        self._name = name if name is not None else "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def _convert(self, keys: Any, values: Any, key_dtype: Any, value_dtype: Any) -> None:
        self._keys: Tensor = convert_to_tensor(keys, key_dtype, "keys")
        self._values: Tensor = convert_to_tensor(values, value_dtype, "values")

    def initialize(self, table: Any) -> Operation:
        check_dtypes(table, self._keys.dtype, self._values.dtype)
        inputs = (table.resource_handle, self._keys, self._values)
        with op_scope(self._name, "", inputs):
            op: Operation = lookup_table_import(*inputs)
        get_default_graph().add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        return op


class TextFileIndex:
    """Where a key or value is in a line (TensorFlow: `tf.lookup.TextFileIndex`).

    Besides these two: the number of a column, 0, 1, 2, ...

    Example:
      >>> tf.lookup.TextFileIndex.LINE_NUMBER
      -1
    """

    #: The line itself.
    WHOLE_LINE = WHOLE_LINE
    #: The number of the line, from 0.
    LINE_NUMBER = LINE_NUMBER


class TextFileInitializer(TableInitializerBase):
    r"""Keys and values from the lines of a text file (TensorFlow: `tf.lookup.TextFileInitializer`).

    Args:
      filename: of the file, which is read when the table is filled; a string or a scalar tensor.
      key_dtype, value_dtype: of the keys and values.
      key_index, value_index: where they are in a line: a `tf.lookup.TextFileIndex` or a column.
      vocab_size: how many lines to read; None for all.
      delimiter: one character, between columns.
      name: of the operation that fills a table.
      value_index_offset: added to line numbers.

    Raises:
      ValueError: for an index that the type does not allow, or a `vocab_size` below 1.
      When it runs: NotFoundError and its kin; InvalidArgumentError for a line that does not fit;
      FailedPreconditionError if a key comes twice with different values.

    Example:
      >>> with open("words.txt", "w") as file:
      ...     size = file.write("emerson\nlake\npalmer\n")
      >>> lines = tf.lookup.TextFileInitializer(
      ...     "words.txt", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
      ...     tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
      >>> table = tf.lookup.StaticHashTable(lines, default_value=-1)
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ):
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _check_index("key", key_index, self.key_dtype)
        _check_index("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._key_index, self._value_index = key_index, value_index
        self._vocab_size, self._delimiter, self._name = vocab_size, delimiter, name
        self._offset = value_index_offset
        self._given = filename
        graph = get_default_graph()
        with graph.control_dependencies(None), graph.device("CPU"):
            self._filename = convert_to_tensor(filename, dtypes.string, "asset_path")

    @property
    def shared_name(self) -> str:
        """Made of the file's name and what is read of it: such tables are the same."""
        parts = [self._given, self._vocab_size, self._key_index, self._value_index, self._offset]
        if not self._offset:
            parts.pop()
        if not self._vocab_size:
            del parts[1]
        return "hash_table_" + "_".join(map(str, parts))

    def initialize(self, table: Any) -> Operation:
        check_dtypes(table, self.key_dtype, self.value_dtype)
        graph = get_default_graph()
        with op_scope(self._name, "text_file_init", (table.resource_handle,)):
            op: Operation = initialize_table_from_text_file(
                table.resource_handle,
                self._filename,
                key_index=self._key_index,
                value_index=self._value_index,
                delimiter=self._delimiter,
                offset=self._offset,
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
            )
        graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        if self._filename.op.type == "Const":
            graph.add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
        return op


def _check_index(what: str, index: int, dtype: DType) -> None:
    if index < -2:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == LINE_NUMBER and dtype != dtypes.int64:
        raise ValueError(
            f"`{what}_dtype` must be int64 {'if' if what == 'key' else 'for'} `{what}_index`"
            f"{' is' if what == 'key' else ''} {LINE_NUMBER}, received: {dtype}"
        )
    if index == WHOLE_LINE and not dtype.is_integer and dtype != dtypes.string:
        raise ValueError(
            f"`{what}_dtype` should be either integer or string for `{what}_index` {WHOLE_LINE}, "
            f"received: {dtype}"
        )


class TextFileStringTableInitializer(TextFileInitializer):
    """Words by their line numbers (TensorFlow: `tf.contrib.lookup.TextFileStringTableInitializer`).

    Args: see `tf.lookup.TextFileInitializer`.
    """

    def __init__(
        self,
        filename: Any,
        key_column_index: int = LINE_NUMBER,
        value_column_index: int = WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_string_table_init",
    ):
        super().__init__(
            filename,
            dtypes.int64,
            key_column_index,
            dtypes.string,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name=name,
        )


class TextFileIdTableInitializer(TextFileInitializer):
    """Line numbers by words (TensorFlow: `tf.contrib.lookup.TextFileIdTableInitializer`).

    Args: see `tf.lookup.TextFileInitializer`.
    """

    def __init__(
        self,
        filename: Any,
        key_column_index: int = WHOLE_LINE,
        value_column_index: int = LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_id_table_init",
        key_dtype: Any = dtypes.string,
    ):
        super().__init__(
            filename,
            key_dtype,
            key_column_index,
            dtypes.int64,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name=name,
        )
