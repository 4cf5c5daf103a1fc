"""`tf.train.Supervisor`: a session that is ready, threads that save and count, and one stop.

    prepare_or_wait_for_session    the chief initialises or restores; the others wait for that
    start_standard_services        the chief's threads: summaries, steps per second, checkpoints
    start_queue_runners            everybody's
    stop                           ends all of them; managed_session() does all four

Mirrors tensorflow/python/training/supervisor.py.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.protos.summary_pb2 import SessionLog
from tinytf.session.session import Session
from tinytf.summary.file_writer import FileWriter
from tinytf.training.coordinator import Coordinator, LooperThread
from tinytf.training.global_step import global_step as read_global_step
from tinytf.training.graph_files import graph_def_of, write_graph
from tinytf.training.managed import stopping
from tinytf.training.managed import supervisor_defaults as defaults
from tinytf.training.managed import supervisor_services as services
from tinytf.training.managed.session_manager import SessionManager, closed_on_error, closing_quietly
from tinytf.training.meta_graph import create_meta_graph_def

_logger = logging.getLogger("tinytf")


class Supervisor:
    """Initialises or restores a model, saves it, and stops threads (TensorFlow: the same name).

    Make it when the graph is complete: it adds what is needed, and the graph is final then. In a
    program with several workers one is the chief, which initialises, saves and writes summaries;
    the others wait until the model is ready.

    What is `Supervisor.USE_DEFAULT` is taken from the graph: from the collection of its name if
    there is something in it (INIT_OP, LOCAL_INIT_OP, READY_OP, READY_FOR_LOCAL_INIT_OP, SAVERS,
    SUMMARY_OP, GLOBAL_STEP), else it is made and put there. None: do without.

    Args:
      graph: by default the default graph.
      ready_op: says what is not initialised; by default `tf.report_uninitialized_variables()`.
      ready_for_local_init_op: says what `local_init_op` lacks; there is none by default.
      is_chief: whether this program is the chief.
      init_op: by default `tf.global_variables_initializer()`. init_feed_dict: fed to it.
      local_init_op: by default it initialises local variables and tables.
      logdir: the folder for checkpoints and summaries; without it nothing is saved.
      summary_op: by default `tf.summary.merge_all()`. It is run without feeds: if it needs some,
        pass None and call `summary_computed`.
      saver: by default `tf.train.Saver()`.
      global_step: by default the tensor "global_step:0".
      save_summaries_secs, save_model_secs: how often; 0 for never. The first time is at once. At
        the end nothing is saved by itself: `sv.saver.save(sess, sv.save_path, sv.global_step)`.
      recovery_wait_secs: from one look to the next, of those that wait for the chief.
      stop_grace_secs: how long `stop` waits for threads.
      checkpoint_basename: the beginning of the checkpoints' names.
      session_manager: by default one with these arguments.
      summary_writer: by default a `FileWriter` for `logdir`.
      init_fn: called with the session after `init_op`.
      local_init_run_options: with which `local_init_op` is run.

    Raises:
      ValueError: if it is not the chief and a variable has no device: each program would have one
      of its own. RuntimeError: if something is to be added and the graph is final.

    Example:
      >>> import tempfile
      >>> step = tf.train.get_or_create_global_step()
      >>> train = step.assign_add(1)
      >>> sv = tf.train.Supervisor(logdir=tempfile.mkdtemp())
      >>> with sv.managed_session() as sess:
      ...     while not sv.should_stop():
      ...         if sess.run(train) == 5:
      ...             break
    """

    #: Stands for the default of ready_op, init_op, summary_op, saver, global_step and others.
    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Graph | None = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | os.PathLike[str] | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Any = None,
        local_init_run_options: Any = None,
    ):
        self._graph = get_default_graph() if graph is None else graph
        with self._graph.as_default():
            self._ready_op = _given_or_default(ready_op, GraphKeys.READY_OP)
            self._ready_for_local_init_op = _given_or_default(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP
            )
            self._init_op = _given_or_default(init_op, GraphKeys.INIT_OP)
            self._local_init_op = _given_or_default(local_init_op, GraphKeys.LOCAL_INIT_OP)
            self._saver = _given_or_default(saver, GraphKeys.SAVERS)
            self._summary_op = _given_or_default(summary_op, GraphKeys.SUMMARY_OP)
            self._global_step = _given_or_default(global_step, GraphKeys.GLOBAL_STEP)
        self._init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        if not is_chief:
            defaults.check_devices(self._graph)
        # Only the chief writes files.
        self._logdir = os.fspath(logdir) if is_chief and logdir else None
        self._save_path = self._logdir and os.path.join(self._logdir, checkpoint_basename)
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._summary_writer = self._writer(summary_writer) if is_chief else None
        self._is_writer_open = True
        self._graph_was_written = False
        if self._logdir and self._global_step is None and global_step is not None:
            _logger.warning(defaults.NO_GLOBAL_STEP)
        defaults.finalize(self._graph)

    def _writer(self, given: Any) -> Any:
        if given is not Supervisor.USE_DEFAULT:
            return given
        return FileWriter(self._logdir) if self._logdir else None

    # What it uses -----------------------------------------------------------------------------

    @property
    def is_chief(self) -> bool:
        """Whether this program is the chief."""
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        """What opens its sessions."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """What stops its threads; threads of your own can register with it."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """What initialises the model; or None."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What is fed to `init_op`."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """What says whether the model is ready; or None."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """What says whether `local_init_op` can be run; or None."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        """The chief's writer of summaries; or None."""
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        """What computes the summaries; or None."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> Any:
        """Seconds from one summary to the next; None if this is not the chief."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        """What counts the steps; or None."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """What saves the model; or None."""
        return self._saver

    @property
    def save_model_secs(self) -> Any:
        """Seconds from one checkpoint to the next; None if this is not the chief."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """The beginning of the checkpoints' paths; None if nothing is saved."""
        return self._save_path

    # Beginning --------------------------------------------------------------------------------

    @contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """A context manager: a session that is ready, with all threads, until the block ends.

        An exception in the block, or in a thread, stops all and is raised at the end of the block,
        unless it means that the input has ended (OutOfRangeError). The session is closed then.

        Args: as of `prepare_or_wait_for_session`.
          close_summary_writer: as of `stop`.

        Example:
          >>> sv = tf.train.Supervisor()
          >>> with sv.managed_session() as sess:
          ...     raise tf.errors.OutOfRangeError("no more rows")
          >>> sv.should_stop()
          True
        """
        sess = self.prepare_or_wait_for_session(
            master, config, start_standard_services=start_standard_services
        )
        with closing_quietly(sess):
            try:
                yield sess
            except Exception as error:
                self.request_stop(error)
            finally:
                self.stop(close_summary_writer=close_summary_writer)

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """Open a session: as the chief restore or initialise the model, else wait for the chief.

        Args:
          master: the session's target: `server.target`; "" in a program that is alone.
          config: of the session.
          wait_for_checkpoint: whether the chief waits for a checkpoint instead of initialising.
          max_wait_secs: how long to wait, for the chief or for a checkpoint.
          start_standard_services: whether to start the services and the queue runners.

        Returns:
          the session. Call `stop` in the end, then close it.

        Raises:
          as `SessionManager.prepare_session` and `wait_for_session`.

        Example:
          >>> sv = tf.train.Supervisor()
          >>> sess = sv.prepare_or_wait_for_session()
          >>> sv.stop()
          >>> sess.close()
        """
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
            self._is_writer_open = True
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
        else:
            sess = self._session_manager.wait_for_session(master, config, max_wait_secs)
        with closed_on_error(sess):
            try:
                self._begin(sess, start_standard_services)
            except Exception as error:  # some threads may run already, and nobody else stops them
                self.request_stop(error)
                self.stop()
                raise
        return sess

    def _begin(self, sess: Session, with_services: bool) -> None:
        if self._is_chief:
            self._write_graph()
        if not with_services:
            return
        if self._is_chief:
            _logger.info("Starting standard services.")
            self.start_standard_services(sess)
        _logger.info("Starting queue runners.")
        self.start_queue_runners(sess)

    def _write_graph(self) -> None:
        if self._logdir:
            write_graph(graph_def_of(self._graph), self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_was_written:
            self._summary_writer.add_graph(self._graph)
            definition = graph_def_of(self._graph)
            saver_def = self._saver.saver_def if self._saver else None
            meta_graph = create_meta_graph_def(graph_def=definition, saver_def=saver_def)
            self._summary_writer.add_meta_graph(meta_graph)
            self._graph_was_written = True

    def start_standard_services(self, sess: Any) -> list[LooperThread] | None:
        """Start the chief's threads, as far as there is something to do for them.

        Args:
          sess: the session they run in.

        Returns:
          the threads; None without `logdir`.

        Raises:
          RuntimeError: if this is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief "
                "supervisors can write events: this one was made with is_chief=False."
            )
        if not self._logdir:
            _logger.warning(
                "Standard services need a 'logdir' passed to the Supervisor: without one there "
                "are no checkpoints and no summaries, and what is trained ends with the program."
            )
            return None
        writes = self._save_summaries_secs and self._summary_writer
        if self._global_step is not None and self._summary_writer:
            # TensorBoard drops events of steps after this one: those of a run that was cut short.
            step = read_global_step(sess, self._global_step)
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START), step)
        threads: list[LooperThread] = []
        if writes and self._summary_op is not None:
            threads.append(services.SVSummaryThread(self, sess))
        if writes and self._global_step is not None:
            threads.append(services.SVStepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(services.SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def start_queue_runners(
        self, sess: Any, queue_runners: Iterable[Any] | None = None
    ) -> list[threading.Thread]:
        """Start the threads of queue runners.

        Args:
          sess: the session they run in.
          queue_runners: by default those in the collection QUEUE_RUNNERS, which
            `prepare_or_wait_for_session` has started already.

        Returns:
          the threads.
        """
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)
        ]

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., object],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """Start a thread that calls something again and again, until the supervisor stops.

        Args: as of `tf.train.LooperThread.loop`.

        Returns:
          the thread. `stop` waits for it.
        """
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    # Stopping ---------------------------------------------------------------------------------

    def stop(
        self,
        threads: Iterable[threading.Thread] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Ask all threads to stop, and wait until they have; the session stays open.

        Args:
          threads: to wait for besides.
          close_summary_writer: whether to close the writer.
          ignore_live_threads: whether those that do not end are left alone.

        Raises:
          what a thread has raised. RuntimeError: if threads run on after `stop_grace_secs`.
        """
        self._coord.request_stop()
        try:
            with stopping.telling(self._coord.registered, self._stop_grace_secs):
                self._coord.join(threads, self._stop_grace_secs, ignore_live_threads)
        finally:
            # Last: the threads may have been about to write.
            if close_summary_writer and self._summary_writer and self._is_writer_open:
                self._is_writer_open = self._graph_was_written = False
                self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._summary_writer.close()

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop; see `tf.train.Coordinator.request_stop`."""
        self._coord.request_stop(ex)

    def should_stop(self) -> bool:
        """Whether all are to stop; the training loop asks, too."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> AbstractContextManager[None]:
        """A context manager that stops all if its block fails."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Wait until all are to stop."""
        self._coord.wait_for_stop()

    # Summaries --------------------------------------------------------------------------------

    def summary_computed(self, sess: Any, summary: Any, global_step: int | None = None) -> None:
        """Write a summary that the program has computed.

        Args:
          sess: to read the global step. summary: what running a summary operation gave, or a
            `tf.Summary`.
          global_step: the step; by default it is read.

        Raises:
          TypeError: if it is no summary. RuntimeError: if there is no writer.
        """
        if not self._summary_writer:
            reason = "this Supervisor was made without logdir"
            if not self._is_chief:
                reason = "only the chief has one. Ask `if sv.is_chief:` first"
            raise RuntimeError(f"Writing a summary requires a summary writer: {reason}.")
        if global_step is None and self._global_step is not None:
            global_step = read_global_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    # The names of TensorFlow's first versions.
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _given_or_default(given: Any, key: str) -> Any:
    return defaults.of_graph(key) if given is Supervisor.USE_DEFAULT else given
