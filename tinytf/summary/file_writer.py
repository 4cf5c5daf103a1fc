"""`tf.summary.FileWriter`: summaries, graphs and run metadata as events in a file.

Mirrors tensorflow/python/summary/writer/writer.py and writer_cache.py.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from google.protobuf.message import DecodeError, Message

from tinytf.framework.graph import Graph
from tinytf.framework.stacks import get_default_graph
from tinytf.protos import config_pb2, graph_pb2, summary_pb2
from tinytf.summary.event_file import EventFile

#: session -> folder -> the event file that all writers of the session share there.
_shared: WeakKeyDictionary[Any, WeakValueDictionary[str, EventFile]] = WeakKeyDictionary()
_shared_lock = threading.Lock()


class FileWriter:
    """Writes summaries to an event file that TensorBoard shows (TensorFlow: `FileWriter`).

    A thread of its own writes, so that a training loop does not wait for the disk. What was added
    is in the file after `flush`, after `close`, and at the end of the program.

    Args:
      logdir: a folder, made if it is not there; each writer makes a new file in it. TensorBoard is
        given the folder or one above it.
      graph: a `Graph` to add at once, `sess.graph` for example.
      max_queue: so many events may wait to be written before `add_summary` waits.
      flush_secs: events are in the file after so many seconds at the latest.
      graph_def: a `GraphDef` to add instead of `graph`.
      filename_suffix: appended to the file's name.
      session: all writers of a session for one folder share a file. (TensorFlow adds operations
        to the session's graph for that; here there are none.)

    Raises:
      tf.errors.OpError: if the file cannot be made.

    Example:
      >>> import tempfile
      >>> loss = tf.summary.scalar("loss", 0.5)
      >>> with tf.summary.FileWriter(tempfile.mkdtemp()) as writer:
      ...     writer.add_summary(sess.run(loss), global_step=1)
    """

    def __init__(
        self,
        logdir: str | os.PathLike[str],
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ):
        self._logdir = os.fspath(logdir)
        self._settings = (max_queue, flush_secs, filename_suffix or "")
        self._session = session
        self._file: EventFile | None = self._open()
        #: TensorBoard needs the metadata of a tag once.
        self._seen_tags: set[str] = set()
        self._run_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)
            self._add_meta_graph_of(graph, graph_def)

    def _open(self) -> EventFile:
        if self._session is None:
            return EventFile(self._logdir, *self._settings)
        with _shared_lock:
            files = _shared.setdefault(self._session, WeakValueDictionary())
            file = files.get(self._logdir)
            if file is None:
                file = files[self._logdir] = EventFile(self._logdir, *self._settings)
            return file

    def _add_meta_graph_of(self, graph: Any, graph_def: Any) -> None:
        from tinytf.training.meta_graph import create_meta_graph_def

        if isinstance(graph, Graph):
            self.add_meta_graph(create_meta_graph_def(graph=graph))
        else:
            definition = _message(graph_pb2.GraphDef, graph if graph_def is None else graph_def)
            self.add_meta_graph(create_meta_graph_def(graph_def=definition, collection_list=[]))

    # Adding -----------------------------------------------------------------------------------

    def add_summary(self, summary: Any, global_step: int | None = None) -> None:
        """Add a summary.

        Args:
          summary: what running a summary operation gave, or a `tf.Summary`.
          global_step: where it is on TensorBoard's axis.

        Raises:
          TypeError: if it is neither bytes nor a `tf.Summary`. google.protobuf's DecodeError: if
            the bytes are not a summary.

        Example:
          >>> import tempfile
          >>> writer = tf.summary.FileWriter(tempfile.mkdtemp())
          >>> value = tf.Summary.Value(tag="accuracy", simple_value=0.9)
          >>> writer.add_summary(tf.Summary(value=[value]), global_step=3)
          >>> writer.close()
        """
        event = summary_pb2.Event()
        event.summary.CopyFrom(_summary(summary))
        for value in event.summary.value:
            if value.tag in self._seen_tags:
                value.ClearField("metadata")
            self._seen_tags.add(value.tag)
        self._add(event, global_step)

    def add_graph(self, graph: Any, global_step: int | None = None, graph_def: Any = None) -> None:
        """Add a graph, for TensorBoard's graph tab.

        Args:
          graph: a `Graph`, `sess.graph` for example; or a `GraphDef`.
          graph_def: a `GraphDef`, instead of `graph`.

        Raises:
          ValueError: if both are given. TypeError: if it is something else.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        given = graph if graph is not None else graph_def
        if isinstance(given, Graph):
            from tinytf.training.graph_files import graph_def_of

            definition = graph_def_of(given)
        elif isinstance(given, Message) and given.DESCRIPTOR.name == "GraphDef":
            definition = given
        else:
            raise TypeError(
                f"The passed graph must be an instance of `Graph` or the deprecated `GraphDef`, "
                f"got {type(given).__name__}"
            )
        self._add(summary_pb2.Event(graph_def=definition.SerializeToString()), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: int | None = None) -> None:
        """Add a `MetaGraphDef`; TypeError for anything else."""
        if not (
            isinstance(meta_graph_def, Message) and meta_graph_def.DESCRIPTOR.name == "MetaGraphDef"
        ):
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}"
            )
        self._add(summary_pb2.Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: int | None = None) -> None:
        """Add what a traced run took; TensorBoard colours its graph by it.

        Args:
          run_metadata: a `RunMetadata` that was given to `sess.run`.
          tag: a name of its own, "step 100" for example.

        Raises:
          ValueError: if the tag was used before. TypeError: if it is no `RunMetadata`.

        Example:
          >>> import tempfile
          >>> options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
          >>> report = tf.RunMetadata()
          >>> total = sess.run(tf.add(3, 5), options=options, run_metadata=report)
          >>> with tf.summary.FileWriter(tempfile.mkdtemp(), sess.graph) as writer:
          ...     writer.add_run_metadata(report, "step 1", global_step=1)
        """
        if tag in self._run_tags:
            raise ValueError(
                f"The provided tag was already used for this event type: {tag!r}. Put the number "
                f"of the step into it."
            )
        content = _message(config_pb2.RunMetadata, run_metadata).SerializeToString()
        self._run_tags.add(tag)
        tagged = summary_pb2.TaggedRunMetadata(tag=tag, run_metadata=content)
        self._add(summary_pb2.Event(tagged_run_metadata=tagged), global_step)

    def add_session_log(self, session_log: Any, global_step: int | None = None) -> None:
        """Add a `tf.SessionLog`: that a session started, saved or stopped."""
        message = _message(summary_pb2.SessionLog, session_log)
        self._add(summary_pb2.Event(session_log=message), global_step)

    def add_event(self, event: Any) -> None:
        """Add a `tf.Event` as it is."""
        file = self._file_or_warning()
        if file is not None:
            file.add(_message(summary_pb2.Event, event))

    def _add(self, event: summary_pb2.Event, step: Any) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    # The file ---------------------------------------------------------------------------------

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    def flush(self) -> None:
        """Wait until all that was added is in the file."""
        file = self._file_or_warning()
        if file is not None:
            file.flush()

    def close(self) -> None:
        """Write what is left and close the file."""
        file, self._file = self._file, None
        if file is None:
            return
        if self._session is None:
            file.close()
        else:
            file.flush()  # it is closed when the last writer that shares it has gone

    def reopen(self) -> None:
        """After `close`: begin a new file in the same folder; otherwise nothing."""
        if self._file is None:
            self._file = self._open()

    def _file_or_warning(self) -> EventFile | None:
        if self._file is None:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=4,
            )
        return self._file

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()


def _summary(given: Any) -> summary_pb2.Summary:
    if isinstance(given, bytes):
        try:
            return summary_pb2.Summary.FromString(given)
        except DecodeError as error:
            raise DecodeError(
                f"add_summary() got {len(given)} bytes that are not a serialised Summary: "
                f"{given[:20]!r} ({error})"
            ) from None
    return _message(summary_pb2.Summary, given)


def _message(kind: Any, given: Any) -> Any:
    """A message of ours from one of ours or of a real TensorFlow's."""
    if isinstance(given, kind):
        return given
    if isinstance(given, Message) and given.DESCRIPTOR.name == kind.DESCRIPTOR.name:
        return kind.FromString(given.SerializeToString())
    is_tensor = hasattr(given, "graph")
    raise TypeError(
        f"Expected a {kind.DESCRIPTOR.name} message, got {given!r} of type {type(given).__name__}"
        + ". A session makes it: writer.add_summary(sess.run(summary), step)" * is_tensor
    )


class FileWriterCache:
    """One `FileWriter` for each folder (TensorFlow: `tf.summary.FileWriterCache`).

    Example:
      >>> import tempfile
      >>> folder = tempfile.mkdtemp()
      >>> tf.summary.FileWriterCache.get(folder) is tf.summary.FileWriterCache.get(folder)
      True
      >>> tf.summary.FileWriterCache.clear()
    """

    _lock = threading.RLock()
    _cache: dict[str, FileWriter] = {}

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """The writer for a folder; a new one begins with the default graph."""
        with FileWriterCache._lock:
            writer = FileWriterCache._cache.get(logdir)
            if writer is None:
                writer = FileWriter(logdir, graph=get_default_graph())
                FileWriterCache._cache[logdir] = writer
            return writer

    @staticmethod
    def clear() -> None:
        """Close all writers and forget them."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache.clear()
