"""`tf.test.TestCase`: Python's test case (absl's), with sessions and assertions for tensors.

Mirrors tensorflow/python/framework/test_util.py.
"""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from absl.testing import absltest

from tinytf.framework.device_spec import canonical_device
from tinytf.framework.errors import InvalidArgumentError, OpError
from tinytf.framework.graph import Graph
from tinytf.framework.random_seed import DEFAULT_GRAPH_SEED, set_random_seed
from tinytf.framework.stacks import default_graphs, default_sessions, reset_default_graph
from tinytf.protos import config_pb2
from tinytf.session.session import Session
from tinytf.testing.array_assertions import ArrayAssertions
from tinytf.testing.checked_thread import CheckedThread
from tinytf.testing.proto_assertions import assert_protos_equal
from tinytf.testing.temporary import temporary_folder

_BROADCASTING = "Incompatible shapes|Dimensions must be equal|required broadcastable shapes"


class CapturedWrites:
    """What `captureWritesToStream` has caught.

    Args:
      path: of the file it went to.
    """

    def __init__(self, path: str):
        self._path = path

    def contents(self) -> str:
        """All that was written so far."""
        with open(self._path, encoding="utf-8", errors="replace") as file:
            return file.read()


class TestCase(ArrayAssertions):
    """A test case for programs with graphs (TensorFlow: `tf.test.TestCase`).

    Every test begins with an empty default graph and the same seeds; sessions that it caches are
    closed at its end. All methods of `unittest.TestCase` are there.

    Example:
      >>> class SquareTest(tf.test.TestCase):
      ...     def testSquare(self):
      ...         with self.session():
      ...             self.assertAllEqual(tf.square([2, 3]).eval(), [4, 9])
      >>> SquareTest("testSquare").run().wasSuccessful()
      True
    """

    def __init__(self, methodName: str = "runTest"):
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []
        self._folder: str | None = None
        self._cached: Session | None = None
        self._cached_for: tuple[Any, Any, bool] = (None, None, False)

    def setUp(self) -> None:
        """An empty default graph, the same seeds for Python, numpy and the graph."""
        super().setUp()
        self._close_cached()
        random.seed(DEFAULT_GRAPH_SEED)
        np.random.seed(DEFAULT_GRAPH_SEED)
        if default_graphs.items:  # of whoever runs the tests: it stays as it is
            self.enter_context(Graph().as_default())
        else:
            reset_default_graph()
        set_random_seed(DEFAULT_GRAPH_SEED)
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")

    def tearDown(self) -> None:
        """Threads were joined; the cached session is closed."""
        threads, self._threads = self._threads, []
        self._close_cached()
        for thread in threads:
            thread.check_termination()
        super().tearDown()

    # Sessions -----------------------------------------------------------------------------------

    @contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Session]:
        """A new session, the default one inside.

        Args:
          graph: the default graph when None. config: a `tf.ConfigProto`.
          use_gpu: False asks for the CPU for what is built inside.
          force_gpu: asks for the first GPU, which then has to be there.
        """
        with self._new_session(graph, config, force_gpu) as session:
            with _placed(session, use_gpu, force_gpu):
                yield session

    @contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Session]:
        """The session of this test: made at the first call, the same one later on.

        Raises:
          ValueError: if it was made with other arguments.
        """
        with _placed(self._one_session(graph, config, force_gpu, True), use_gpu, force_gpu) as one:
            yield one

    @contextmanager
    def test_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Session]:
        """The older form: a cached session, or for a graph that is given a new one."""
        if graph is not None:
            with self.session(graph, config, use_gpu, force_gpu) as session:
                yield session
            return
        with _placed(self._one_session(graph, config, force_gpu, False), use_gpu, force_gpu) as one:
            yield one

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors: in the default session, or else in the cached one."""
        session = default_sessions.top()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as session:
            return session.run(tensors)

    def _new_session(self, graph: Graph | None, config: Any, force_gpu: bool) -> Session:
        chosen = config_pb2.ConfigProto()
        chosen.allow_soft_placement = not force_gpu
        if config is not None:
            chosen.CopyFrom(config)
            chosen.allow_soft_placement = chosen.allow_soft_placement and not force_gpu
        return Session(graph=graph, config=chosen)

    def _one_session(self, graph: Any, config: Any, force_gpu: bool, strict: bool) -> Session:
        wanted = (graph, config, force_gpu)
        if self._cached is None or self._cached.is_closed:
            self._cached, self._cached_for = self._new_session(graph, config, force_gpu), wanted
        if strict:
            for what, one, other in zip(
                ("graph", "config", "force_gpu value"), wanted, self._cached_for, strict=True
            ):
                if one != other:
                    raise ValueError(
                        f"The {what} used to get the cached session is different than the one "
                        f"that was used to create the session. Maybe create a new session with "
                        f"self.session()"
                    )
        return self._cached

    def _close_cached(self) -> None:
        cached, self._cached = self._cached, None
        if cached is not None:
            cached.close()

    # Threads, files, devices, messages ----------------------------------------------------------

    def checkedThread(
        self, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> CheckedThread:
        """A thread that fails the test with what it raises; `start` it, and `join` it."""
        thread = CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread

    def get_temp_dir(self) -> str:
        """A folder of this test's own, the same at every call; gone when the program ends."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(dir=temporary_folder())
        return self._folder

    @contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """What the process writes inside to a stream with a file descriptor, C code included."""
        number = stream.fileno()
        with tempfile.NamedTemporaryFile(dir=self.get_temp_dir(), delete=False) as file:
            stream.flush()
            saved = os.dup(number)
            try:
                os.dup2(file.fileno(), number)
                yield CapturedWrites(file.name)
            finally:
                stream.flush()
                os.dup2(saved, number)
                os.close(saved)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: Any = None) -> None:
        """Two names of one device: "/cpu:0" and "/device:CPU:0"."""
        one, other = canonical_device(device1), canonical_device(device2)
        if one != other:
            self.fail(f"Devices {one} and {other} are not equal. {msg or ''}".rstrip())

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        message: Any,
        msg: Any = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """A message is what is expected, given as a message or in protobuf's text format."""
        assert_protos_equal(self, expected_message_maybe_ascii, message, msg, relative_tolerance)

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Any,
        producer: int | None = None,
        min_consumer: int = 0,
        msg: Any = None,
    ) -> None:
        """A GraphDef is what is expected in text, with `versions` of this TensorFlow's."""
        if producer is None:
            producer = Graph().as_graph_def().versions.producer
        head = f"versions {{ producer: {producer} min_consumer: {min_consumer} }};\n"
        self.assertProtoEquals(head + expected, actual, msg)

    # Errors -------------------------------------------------------------------------------------

    @contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self, exception_type: type[Exception], expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """The block raises such an error, and its text or itself is as expected.

        Args:
          expected_err_re_or_predicate: a pattern to be found in the message (of an `OpError` also
            in the name of its operation), or a function of the error that returns a bool.
        """
        try:
            yield
        except Exception as error:
            if isinstance(error, exception_type) and _matches(error, expected_err_re_or_predicate):
                return
            expected = (exception_type.__name__, expected_err_re_or_predicate)
            raise self.failureException(
                f"Exception of type {type(error)}: {error}\nExpected: {expected[0]} with "
                f"{expected[1]!r}"
            ) from error
        self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """The block raises a `tf.errors.OpError`; see `assertRaisesWithPredicateMatch`."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: type[Exception] = InvalidArgumentError
    ) -> Any:
        """The block raises what two shapes raise that do not fit."""
        return self.assertRaisesWithPredicateMatch(exception_type, _BROADCASTING)


@contextmanager
def _placed(session: Session, use_gpu: bool, force_gpu: bool) -> Iterator[Session]:
    """The default session and graph, asking for the devices that a test wants."""
    with ExitStack() as stack:
        stack.enter_context(session.graph.as_default())
        stack.enter_context(session.as_default())
        if force_gpu:
            stack.enter_context(session.graph.device("/device:GPU:0"))
        elif not use_gpu:
            stack.enter_context(session.graph.device("/device:CPU:0"))
        yield session


def _matches(error: Exception, expected: Any) -> bool:
    if callable(expected):
        return bool(expected(error))
    text = str(error)
    if isinstance(error, OpError):
        text = str(error.message)
        if error.op is not None:
            text += f"\nCaused by: {error.op.name}"
    return re.search(expected, text) is not None


def main(argv: list[str] | None = None) -> None:
    """Run the tests of the program, and end it (TensorFlow: `tf.test.main`).

    With `--benchmark_filter=PATTERN` run its benchmarks instead; "all" is every one.

    Args:
      argv: the words of the command; the program's own by default.

    Example:
      >>> if __name__ == "__main__":
      ...     tf.test.main()  # doctest: +SKIP
    """
    words = sys.argv if argv is None else argv
    for word in words:
        if asked := re.match("--?benchmark(?:_filter|s)=(.*)", word):
            from tinytf.testing.benchmark import run_benchmarks

            run_benchmarks(asked[1])
            sys.exit(0)
    absltest.main(argv=words)
