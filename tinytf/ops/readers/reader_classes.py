"""`tf.TextLineReader` and the other readers. Mirrors tensorflow/python/ops/io_ops.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.readers import reader_ops
from tinytf.resources.record_writer import TFRecordOptions


class ReaderBase:
    r"""A reader in the graph (TensorFlow: `tf.ReaderBase`).

    It takes filenames out of a queue, one when it is done with the last, and gives out a record
    at each `read`. Make one of the subclasses, `tf.TextLineReader` for example. Several readers
    may take their filenames out of one queue, and several threads may read from one reader.

    Args:
      reader_ref: the handle, a resource.
      supports_serialize: whether its state can be saved.

    Example:
      >>> with open("data.csv", "w") as file:
      ...     size = file.write("x,kind\n1.5,cat\n")
      >>> filenames = tf.train.string_input_producer(["data.csv"])
      >>> reader = tf.TextLineReader(skip_header_lines=1)
      >>> key, value = reader.read(filenames)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> sess.run([key, value])
      [b'data.csv:2', b'1.5,cat']
    """

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False):
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The handle, a resource."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether its state can be saved."""
        return self._supports_serialize

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record.

        If the reader has no file, or is done with it, it takes a filename out of the queue first,
        and waits until there is one.

        Args:
          queue: a queue of strings, or its handle.

        Returns:
          (key, value), two string scalars: where the record is from ("data.csv:2"), and the record.

        Raises (when run):
          OutOfRangeError: if the queue is closed and empty. NotFoundError and others: if a file
            cannot be opened; the next read goes on with the next file. DataLossError and others:
            if it cannot be read; the reader stays with it until `reset`.
        """
        return reader_ops.reader_read(self._reader_ref, _handle(queue), name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """Several records of one file, so many at most; see `read`.

        Where a file ends there are fewer, also before the last file.

        Args:
          num_records: int64, a scalar.

        Returns:
          (keys, values), two vectors of strings.
        """
        return reader_ops.reader_read_up_to(
            self._reader_ref, _handle(queue), num_records, name=name
        )

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many records were read from it: int64, a scalar."""
        return reader_ops.reader_num_records_produced(self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many files it has read: int64, a scalar.

        The end of a file is noticed when a read finds nothing behind the last record.
        """
        return reader_ops.reader_num_work_units_completed(self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Its state: a string scalar. UnimplementedError (when run) if it cannot be saved."""
        return reader_ops.reader_serialize_state(self._reader_ref, name=name)

    def restore_state(self, state: Any, name: str | None = None) -> Operation:
        """Go back to what `serialize_state` returned.

        Args:
          state: a string scalar.

        Raises (when run):
          UnimplementedError: if the state cannot be saved. InvalidArgumentError: for what is none.
        """
        return reader_ops.reader_restore_state(self._reader_ref, state, name=name)

    def reset(self, name: str | None = None) -> Operation:
        """Let go of the file and set the counters to 0."""
        return reader_ops.reader_reset(self._reader_ref, name=name)


def _handle(queue: Any) -> Tensor:
    if isinstance(queue, Tensor):
        return queue
    handle = getattr(queue, "queue_ref", None)
    if not isinstance(handle, Tensor):
        raise TypeError(
            f"A reader takes filenames from a queue (or its handle, a tensor), not from {queue!r}. "
            f"tf.train.string_input_producer(filenames) makes one, with threads that fill it; "
            f"tf.FIFOQueue(capacity, tf.string) one that you fill."
        )
    return handle


class WholeFileReader(ReaderBase):
    """A record is a whole file, its key the file's name (TensorFlow: `tf.WholeFileReader`).

    Example:
      >>> with open("a.txt", "w") as file:
      ...     size = file.write("some text")
      >>> filenames = tf.train.string_input_producer(["a.txt"])
      >>> name, content = tf.WholeFileReader().read(filenames)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> content  # b'some text'
    """

    def __init__(self, name: str | None = None):
        super().__init__(reader_ops.whole_file_reader(name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    r"""A record is a line, its key "file:line", from 1 (TensorFlow: `tf.TextLineReader`).

    Lines end with "\n" or "\r\n", which are no part of them.

    Args:
      skip_header_lines: how many lines to leave out at the beginning of each file; None for 0.

    Example:
      >>> with open("a.csv", "w") as file:
      ...     size = file.write("x,y\n1,2\n")
      >>> filenames = tf.train.string_input_producer(["a.csv"])
      >>> key, line = tf.TextLineReader(skip_header_lines=1).read(filenames)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> sess.run([key, line])
      [b'a.csv:2', b'1,2']
    """

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None):
        super().__init__(
            reader_ops.text_line_reader(skip_header_lines=skip_header_lines or 0, name=name)
        )


class FixedLengthRecordReader(ReaderBase):
    """A record is so many bytes, its key "file:number", from 0.

    TensorFlow: `tf.FixedLengthRecordReader`.

    Args:
      record_bytes: of each record.
      header_bytes, footer_bytes: to leave out at both ends of each file; None for 0.
      hop_bytes: from the beginning of one record to that of the next; None for `record_bytes`.
      encoding: how files are compressed: "ZLIB", "GZIP", or None.

    Example:
      >>> with open("a.bin", "wb") as file:
      ...     size = file.write(bytes(range(6)))
      >>> filenames = tf.train.string_input_producer(["a.bin"])
      >>> key, record = tf.FixedLengthRecordReader(record_bytes=3).read(filenames)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> tf.decode_raw(record, tf.uint8)  # [0, 1, 2]
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ):
        super().__init__(
            reader_ops.fixed_length_record_reader(
                header_bytes=header_bytes or 0,
                record_bytes=record_bytes,
                footer_bytes=footer_bytes or 0,
                hop_bytes=hop_bytes or 0,
                encoding=encoding or "",
                name=name,
            )
        )


class TFRecordReader(ReaderBase):
    """A record is one of a TFRecord file, its key "file:byte" (TensorFlow: `tf.TFRecordReader`).

    Args:
      options: a `tf.python_io.TFRecordOptions`, of which only the compression matters, or None.

    Example:
      >>> with tf.python_io.TFRecordWriter("a.tfrecords") as writer:
      ...     writer.write(b"a record")
      >>> filenames = tf.train.string_input_producer(["a.tfrecords"])
      >>> key, record = tf.TFRecordReader().read(filenames)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> record  # b'a record'
    """

    def __init__(self, name: str | None = None, options: Any = None):
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(reader_ops.tf_record_reader(compression_type=compression, name=name))


class IdentityReader(ReaderBase):
    """A record is what was in the queue, key and value alike (TensorFlow: `tf.IdentityReader`).

    Example:
      >>> queue = tf.train.string_input_producer(["some work"])
      >>> key, value = tf.IdentityReader().read(queue)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> sess.run([key, value])
      [b'some work', b'some work']
    """

    def __init__(self, name: str | None = None):
        super().__init__(reader_ops.identity_reader(name=name), supports_serialize=True)
