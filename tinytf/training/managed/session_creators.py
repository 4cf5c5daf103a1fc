"""Who opens the session of a monitored one: `ChiefSessionCreator`, `WorkerSessionCreator`.

Mirrors a part of tensorflow/python/training/monitored_session.py.
"""

from __future__ import annotations

import abc
import os
from typing import Any

from tinytf.framework.stacks import get_default_graph
from tinytf.training.managed.scaffold import Scaffold
from tinytf.training.managed.session_manager import SessionManager


class SessionCreator(abc.ABC):
    """Opens sessions, one after the other (TensorFlow: `tf.train.SessionCreator`).

    A monitored session calls `create_session` when it begins, and again whenever its session is
    lost. A subclass of one's own may, for example, wrap another creator's sessions.

    Example:
      >>> class Plain(tf.train.SessionCreator):
      ...     def create_session(self):
      ...         return tf.Session()
      >>> with tf.train.MonitoredSession(Plain()) as sess:
      ...     print(sess.run(tf.constant(3)))
      3
    """

    @abc.abstractmethod
    def create_session(self) -> Any:
        """A new session, ready to be used."""
        raise NotImplementedError(f"create_session is not implemented for {self}.")


class _ManagedSessionCreator(SessionCreator):
    """Finalises a scaffold and has a `SessionManager` open the session."""

    def __init__(self, scaffold: Scaffold | None, master: str, config: Any) -> None:
        if scaffold is not None and not isinstance(scaffold, Scaffold):
            raise TypeError(f"scaffold must be a tf.train.Scaffold, got {scaffold!r}")
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._session_manager: SessionManager | None = None

    def _manager(self) -> SessionManager:
        """With the pieces of the scaffold, which is final from now on."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = SessionManager(
                local_init_op=self._scaffold.local_init_op,
                local_init_feed_dict=self._scaffold.local_init_feed_dict,
                ready_op=self._scaffold.ready_op,
                ready_for_local_init_op=self._scaffold.ready_for_local_init_op,
                graph=get_default_graph(),
            )
        return self._session_manager


class ChiefSessionCreator(_ManagedSessionCreator):
    """Opens the chief's session: restores a checkpoint, or else initialises the model.

    TensorFlow: `tf.train.ChiefSessionCreator`.

    Args:
      scaffold: the operations for it; by default a `tf.train.Scaffold()`.
      master: the session's target: `server.target` in a cluster, "" for this program alone.
      config: of the session.
      checkpoint_dir: a folder; its latest checkpoint is restored, if there is one.
      checkpoint_filename_with_path: the checkpoint to restore, instead.

    Example:
      >>> v = tf.Variable(3.0)
      >>> creator = tf.train.ChiefSessionCreator(checkpoint_dir="./training")
      >>> with tf.train.MonitoredSession(creator) as sess:
      ...     print(sess.run(v))
      3.0
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | os.PathLike[str] | None = None,
        checkpoint_filename_with_path: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path

    def create_session(self) -> Any:
        """See `SessionManager.prepare_session`, which also says what is raised."""
        return self._manager().prepare_session(
            self._master,
            saver=self._scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict,
            init_fn=self._scaffold.init_fn,
        )


class WorkerSessionCreator(_ManagedSessionCreator):
    """Opens the session of a worker that is not the chief: waits until the model is ready.

    TensorFlow: `tf.train.WorkerSessionCreator`.

    Args:
      scaffold: the operations for it; by default a `tf.train.Scaffold()`.
      master: the session's target, `server.target`.
      config: of the session.
      max_wait_secs: how long to wait for the chief.

    Example:
      >>> creator = tf.train.WorkerSessionCreator(master="grpc://localhost:2222")
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        """See `SessionManager.wait_for_session`, which also says what is raised."""
        return self._manager().wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )
