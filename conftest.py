"""For every test and notebook: requirements by marker, no silent hangs, reproducible examples.

A test that needs more than Python packages says so with a marker. Where the need is not met, the
test is skipped and listed at the end with the command that enables it; with CI=true it fails,
because there nothing may be left out.
"""

import faulthandler
import functools
import gc
import logging
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from absl import logging as absl_logging

from tinytf.cli import machine

IN_CI = os.environ.get("CI") == "true"

#: The marker of tests that read the notebooks in place; --everything runs them as they are.
LESSONS = "as_committed"

# absl keeps what is sys.stderr when it is imported: during a test, that is pytest's, which it would
# close for all tests to come as soon as somebody configures Python's logging anew.
absl_logging.get_absl_handler().python_handler.stream = sys.__stderr__

#: What `tinytf reset` and `tinytf lab --short` leave is a learner's own, for nobody to test.
collect_ignore_glob = ["notebooks/*.mine-*", "notebooks/*.short.ipynb"]

#: Seconds that a cell of a notebook may take (nbval interrupts it before, and says which).
NOTEBOOK_SECONDS = 150
#: Seconds that a test of a real TensorFlow may take, which starts slowly on a busy machine.
TENSORFLOW_SECONDS = 150
#: After this many seconds more, a test that its timeout could not end is ended with its process.
GRACE_SECONDS = float(os.environ.get("TINYTF_TEST_GRACE_SECONDS", "20"))

# Time says nothing about correctness on a busy machine; in CI the same commit sees the same cases.
hypothesis.settings.register_profile("here", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.register_profile("exhaustive", deadline=None, print_blob=True, max_examples=300)
# The default run is often and short, and tries others every time; see tests/effort.py.
hypothesis.settings.register_profile("quick", deadline=None, print_blob=True, max_examples=20)


@pytest.fixture(autouse=True)
def _verbosity_of_each_test() -> Generator[None]:
    """What a test's program sets with `tf.logging.set_verbosity` is not the next one's."""
    logger = logging.getLogger("tinytf")
    before = logger.level
    yield
    logger.setLevel(before)


@pytest.fixture(autouse=True)
def fresh_default_graph() -> Generator[None]:
    """What one test builds in the default graph is nothing to the next: graphs are placed whole."""
    yield
    if "tinytf" in sys.modules:
        sys.modules["tinytf"].reset_default_graph()


@functools.cache
def _servers() -> list[Any]:
    """The servers of this process, in the order in which they were started."""
    from tinytf.distributed.server.server import Server  # brings gRPC along

    started: list[Any] = []
    start = Server.start

    @functools.wraps(start)
    def noted(server: Any) -> None:
        started.append(server)
        start(server)

    Server.start = noted  # type: ignore[method-assign]
    return started


@pytest.fixture(autouse=True)
def _no_server_outlives_its_test() -> Generator[None]:
    """Programs leave theirs to the end of the process, where other tests would find their threads.

    Those that a fixture for many tests has started are there before.
    """
    servers = _servers()
    before = len(servers)
    yield
    while len(servers) > before:
        servers.pop().stop()


@pytest.fixture
def simulated_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """One simulated GPU, on a machine of the test's own."""
    from tinytf.devices import asking, simulate_gpus

    monkeypatch.setenv("TINYTF_MACHINES", str(tmp_path / "machines"))
    for variable in (asking.GPUS_VARIABLE, asking.MACHINE_VARIABLE):
        monkeypatch.setenv(variable, "")  # so that it is put back as it was
    simulate_gpus(1, memory="1GiB", machine="test")
    yield
    simulate_gpus(0)


# --------------------------------------------------------------------------- what a test may need


@dataclass(frozen=True)
class Requirement:
    """A need that a marker names."""

    what: str
    #: Why it is not met, or None if it is.
    obstacle: Callable[[], str | None]
    #: The command that enables the tests.
    remedy: str


def _tensorflow_obstacle() -> str | None:
    return None if machine.tensorflow_python() else "no TensorFlow 2.15 found"


def _browser_obstacle() -> str | None:
    if find_spec("playwright") is None:
        return "playwright is not installed"
    return None if machine.chromium() else "no Chromium found"


def _notebook_obstacle() -> str | None:
    missing = [name for name in ("ipykernel", "nbclient") if find_spec(name) is None]
    return f"not installed: {', '.join(missing)}" if missing else None


def _sandbox_obstacle() -> str | None:
    from tinytf.grading import sandbox  # brings all of grading along

    return sandbox.obstacle()


@functools.cache
def _lessons_obstacle() -> str | None:
    """A learner works in the notebooks themselves; what they wrote there is not for us to test."""
    root = str(machine.course_root())
    changed = machine.run_quietly("git", "-C", root, "diff", "--name-only", "HEAD", "notebooks")
    return f"you have worked in {', '.join(changed.split())}" if changed else None


REQUIREMENTS = {
    "tensorflow": Requirement(
        "a real TensorFlow 2.15.1",
        _tensorflow_obstacle,
        "python3 start.py test --all  (with Python 3.9 to 3.11; or set TINYTF_TENSORFLOW_PYTHON)",
    ),
    "browser": Requirement(
        "a browser",
        _browser_obstacle,
        "sudo apt-get install chromium && python3 start.py test --all",
    ),
    "netns": Requirement(
        "a network namespace",
        machine.namespace_obstacle,
        "sudo apt-get install iproute2 && sudo python3 start.py test",
    ),
    "sandbox": Requirement(
        "a sandbox", _sandbox_obstacle, "sudo apt-get install bubblewrap && python3 start.py test"
    ),
    "openssl": Requirement(
        "the program openssl",
        lambda: None if shutil.which("openssl") else "no openssl on the path",
        "sudo apt-get install openssl && python3 start.py test",
    ),
    "notebook": Requirement("Jupyter", _notebook_obstacle, "python3 start.py setup"),
    LESSONS: Requirement(
        "the lessons as committed",
        _lessons_obstacle,
        "git stash push notebooks && python3 start.py test; git stash pop  (or test --everything)",
    ),
}
SLOW_REMEDY = "python3 start.py test --all"
EXHAUSTIVE_REMEDY = "python3 start.py test --all --exhaustive"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--everything",
        action="store_true",
        help="run slow tests and those of changed lessons as well",
    )
    parser.addoption(
        "--exhaustive",
        action="store_true",
        help="run everything, and what repeats other tests with other arguments as well",
    )


def pytest_configure(config: pytest.Config) -> None:
    global _hard_stderr
    config.option.everything |= config.option.exhaustive
    # Output is captured while tests run; the last words of a process that is stuck must not be.
    _hard_stderr = os.dup(sys.__stderr__.fileno()) if sys.__stderr__ else 2
    whole = "here" if config.getoption("everything") else "quick"
    usual = "ci" if IN_CI else whole
    hypothesis.settings.load_profile("exhaustive" if config.option.exhaustive else usual)
    _see_no_simulated_machines_of_the_user()


def pytest_unconfigure(config: pytest.Config) -> None:
    os.close(_hard_stderr)
    shutil.rmtree(_machines, ignore_errors=True)


def _see_no_simulated_machines_of_the_user() -> None:
    """Tests see no GPUs that the user has asked for, and show the user none of theirs.

    Not a fixture: notebooks have none. Each worker has machines of its own, so that a lesson that
    names one can be run by several at a time.
    """
    global _machines
    _machines = tempfile.mkdtemp(prefix="tinytf-machines-")
    os.environ["TINYTF_MACHINES"] = _machines
    for variable in (
        "CUDA_VISIBLE_DEVICES",
        "TF_FORCE_GPU_ALLOW_GROWTH",
        "TINYTF_SIMULATED_GPUS",
        "TINYTF_SIMULATED_MACHINE",
    ):
        os.environ.pop(variable, None)


#: How many slow tests were left out. Not by skipping each: of many thousands that takes long.
_slow_left_out = 0
#: Starting a real TensorFlow takes seconds: what asks one is left to `start.py test --all`.
SLOW = frozenset({"slow", "tensorflow"})


def _left_out(config: pytest.Config) -> frozenset[str]:
    """The markers of tests that are not for this run."""
    if config.getoption("exhaustive"):
        return frozenset()
    return {"exhaustive"} | (frozenset() if config.getoption("everything") else SLOW)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Leave slow cases out before they become tests: half of all would be made for nothing."""
    global _slow_left_out
    calls: list[Any] | None = getattr(metafunc, "_calls", None)  # pytest has no public way
    left_out = _left_out(metafunc.config)
    if not left_out or not calls:
        return
    # What marks the whole test may stand on its class or file: one case stays, to be looked at.
    if _has_one_of(left_out, metafunc.definition):
        kept = calls[:1]
    else:
        kept = [call for call in calls if left_out.isdisjoint(mark.name for mark in call.marks)]
        kept = kept or calls[:1]
    _slow_left_out += len(calls) - len(kept)
    calls[:] = kept


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    global _slow_left_out
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.notebook)
            item.add_marker(pytest.mark.timeout(NOTEBOOK_SECONDS))
        elif item.get_closest_marker("tensorflow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(TENSORFLOW_SECONDS))
    if hasattr(config, "workerinput"):
        from tests.scheduling import longest_first

        longest_first(items, _timeout_of)
    left_out = _left_out(config)
    slow = [item for item in items if _has_one_of(left_out, item)]
    items[:] = [item for item in items if not _has_one_of(left_out, item)]
    config.hook.pytest_deselected(items=slow)
    _slow_left_out += len(slow)
    if hasattr(config, "workeroutput"):  # a process of xdist's tells the first one
        config.workeroutput["slow_left_out"] = _slow_left_out


def pytest_collection_finish() -> None:
    """Keep many thousands of tests out of the garbage collector's way: it looks at all it knows.

    Tests that collect garbage themselves, to see that nothing is left, took half a second for it.
    """
    gc.collect()
    gc.freeze()


def _has_one_of(markers: frozenset[str], item: pytest.Item) -> bool:
    return any(item.get_closest_marker(marker) for marker in markers)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    global _slow_left_out
    _slow_left_out = max(_slow_left_out, getattr(node, "workeroutput", {}).get("slow_left_out", 0))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    # What is tried at exercises counts for no user, and in no other file: 00_start_here shows it.
    # Not a fixture either: a notebook's kernel starts after this, with its first cell.
    # What the lessons' predictions ask about has to happen: their cells fail if it does not.
    os.environ["TINYTF_TRUTHS"] = os.path.join(os.path.dirname(__file__), "tests/notebooks/truths")
    os.environ["TINYTF_PROGRESS"] = os.path.join(_machines, f"points-{item.path.stem}.json")
    for marker, requirement in REQUIREMENTS.items():
        if item.get_closest_marker(marker) is None:
            continue
        if marker == LESSONS and item.config.getoption("everything"):
            continue
        obstacle = requirement.obstacle()
        if obstacle is None:
            continue
        if IN_CI:
            pytest.fail(f"needs {requirement.what}, and CI must have it: {obstacle}", pytrace=False)
        item.user_properties.append(("not run", f"{requirement.what}: {obstacle}"))
        item.user_properties.append(("remedy", requirement.remedy))
        pytest.skip(f"needs {requirement.what}: {obstacle}")


#: Tests of which there is one for each op type or case -> what it means that they passed.
COUNTED = {
    "test_cards.py::test_a_card_has_tensorflows_op_def": "op types with TensorFlow's OpDef",
    "test_cases.py::test_built_and_run_here": "conformance cases, built and run here",
    "test_cases.py::test_tensorflows_graph_runs_here": "graphs of TensorFlow, run here",
    "test_cases.py::test_our_graph_runs_in_tensorflow": "graphs of ours, run in TensorFlow",
    "test_gradient_checks.py::test_gradient": "gradients, against differences of values",
    "test_gradient_checks.py::test_second_order": "gradients of gradients, likewise",
}


def _write_counts(terminalreporter: pytest.TerminalReporter) -> None:
    names = (r.nodeid.partition("[")[0] for r in terminalreporter.getreports("passed"))
    passed = Counter(name.rpartition("/")[2] for name in names)
    counts = [(passed[test], what) for test, what in COUNTED.items() if passed[test]]
    if counts:
        terminalreporter.section("agrees with TensorFlow, or with mathematics")
    for count, what in counts:
        terminalreporter.write_line(f"{count:5d}  {what}")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    """Say that all is well, if it is; then what else can be run, and the command that does it."""
    _write_counts(terminalreporter)
    more: Counter[tuple[str, str]] = Counter()
    for report in terminalreporter.getreports("skipped"):
        properties = dict(report.user_properties)
        if "not run" in properties:
            more[properties["remedy"], f"tests that need {properties['not run']}"] += 1
    if not config.getoption("everything"):
        notebooks = len(list(Path(config.rootpath, "notebooks").glob("*[!0-9].ipynb")))
        more[SLOW_REMEDY, "lessons, run from their first cell to their last"] = notebooks
        more[SLOW_REMEDY, "tests that take longer, or ask a real TensorFlow"] = _slow_left_out
    else:
        more[EXHAUSTIVE_REMEDY, "tests that repeat others with other arguments"] = _slow_left_out
    more = +more
    if not more:
        return
    terminalreporter.section("what else can be run")
    if exitstatus == pytest.ExitCode.OK:
        passed = len(terminalreporter.getreports("passed"))
        terminalreporter.write_line(
            f"All {passed:,} tests that were to run here have passed. There are more, for whoever "
            "has the time or\nwhat they need:"
        )
    for remedy in sorted({remedy for remedy, _ in more}):
        terminalreporter.write_line(f"  {remedy}")
        for (_, what), count in sorted(item for item in more.items() if item[0][0] == remedy):
            terminalreporter.write_line(f"    {count:6,d}  {what}")


# --------------------------------------------------------------------------------- no silent hangs

_hard_stderr = 2


#: Setting the watchdog starts a thread, and half of the tests take less time than that: one that
#: was set so many seconds ago at the most serves the next test as well.
REUSE_SECONDS = min(5.0, GRACE_SECONDS / 4)
#: When it was set, by `time.monotonic`, and for a test of how many seconds.
_watchdog = (float("-inf"), 0.0)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """End the process with all stacks if a test outlives the timeout that should have failed it.

    pytest-timeout ends a test that waits in Python. A test that waits in C without letting signals
    in (a lock of a library, a kernel's loop) would stay; under xdist the end of its process is
    reported as this test's failure, and the run goes on.
    """
    _watch(_timeout_of(item))
    try:
        return (yield)
    finally:
        if nextitem is None:
            _watch(0)


def _watch(seconds: float) -> None:
    """End the process when a test that begins now has taken so long; 0: whatever comes may last."""
    global _watchdog
    since, allowed = _watchdog
    now = time.monotonic()
    if seconds == allowed and (seconds == 0 or now - since < REUSE_SECONDS):
        return
    _watchdog = (now, seconds)
    if seconds == 0:
        faulthandler.cancel_dump_traceback_later()
    else:
        limit = seconds + GRACE_SECONDS + REUSE_SECONDS
        faulthandler.dump_traceback_later(limit, exit=True, file=_hard_stderr)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getoption("dist") != "loadfile":
        return None
    from tests.scheduling import OnceScheduling

    return OnceScheduling(config, log)


def _timeout_of(item: pytest.Item) -> float:
    marker = item.get_closest_marker("timeout")
    if marker is not None:
        return float(marker.args[0] if marker.args else marker.kwargs["timeout"])
    option = item.config.getoption("timeout", None)
    return float(option if option is not None else item.config.getini("timeout") or 0)


# ------------------------------------------------------------------------------ fixtures for needs


@pytest.fixture
def tensorflow_python() -> Path:
    """The Python that can import a real TensorFlow (mark the test with `tensorflow`)."""
    python = machine.tensorflow_python()
    if python is None:
        pytest.fail("this test uses a real TensorFlow: mark it with @pytest.mark.tensorflow")
    return python


@pytest.fixture
def chromium() -> str:
    """The path of a Chromium (mark the test with `browser`)."""
    path = machine.chromium()
    if path is None:
        pytest.fail("this test uses a browser: mark it with @pytest.mark.browser")
    return path


@pytest.fixture
def in_network_namespace() -> Callable[..., list[str]]:
    """A function that wraps a command so that it runs in a network of its own, loopback only.

    A real TensorFlow's servers listen on all interfaces, so they are started nowhere else. Mark
    the test with `netns`.
    """

    def wrap(*command: str) -> list[str]:
        return ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *command]

    return wrap
