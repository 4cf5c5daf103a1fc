"""docs/journey.md: the names in it exist, its programs run, and calls pass through it in order."""

import contextlib
import importlib
import io
import re
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType

import pytest

import tinytf as tf

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "journey.md").read_text(encoding="utf-8")
WATCHED = "# watched from here on\n"
NAMED = r"`(tinytf/[\w/]+\.py)`: `([\w.]+)`"


@dataclass
class Program:
    """A program of the page: what it prints, and the stops that it passes through, if it does."""

    source: str
    output: str = ""
    stops: list[tuple[str, str]] = field(default_factory=list)
    not_passed: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_watched(self) -> bool:
        return WATCHED in self.source


def programs(text):
    """The programs of the page in order; stops belong to the watched program before them."""
    found = []
    pattern = rf"```(python|text)\n(.*?)```|### \d+\. {NAMED}|Not passed: {NAMED}"
    for match in re.finditer(pattern, text, re.DOTALL):
        kind, body, path, name, other_path, other_name = match.groups()
        if kind == "python":
            found.append(Program(body))
        elif kind == "text":
            found[-1].output = body
        else:
            journey = [program for program in found if program.is_watched][-1]
            if path:
                journey.stops.append((path, name))
            else:
                journey.not_passed.append((other_path, other_name))
    return found


PROGRAMS = programs(TEXT)
STOPS = [stop for program in PROGRAMS for stop in program.stops]


def resolve(path, name):
    """What a stop names, by import and getattr."""
    module = importlib.import_module(
        path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    )
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def code_of(path, name):
    """The code that runs when it is called; of a class, when one is made."""
    found = resolve(path, name)
    found = found.__init__ if isinstance(found, type) else found
    found = getattr(found, "__wrapped__", found)
    assert isinstance(found.__code__, CodeType)
    return found.__code__


@contextlib.contextmanager
def calls_seen():
    """A list of the codes that run inside, on all threads, each where it ran first."""
    seen: dict[CodeType, None] = {}

    def note(frame, event, argument):
        if event == "call":
            seen.setdefault(frame.f_code)

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


def run(program, namespace):
    """Run a program of the page; what it printed, and which codes ran in its watched part."""
    before, _, watched = program.source.rpartition(WATCHED)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(before, "<docs/journey.md>", "exec"), namespace)  # noqa: S102 - ours
        code = compile(watched, "<docs/journey.md>", "exec")
        with calls_seen() if program.is_watched else contextlib.nullcontext({}) as seen:
            exec(code, namespace)  # noqa: S102
    return printed.getvalue(), list(seen)


def check_order(program, seen):
    """Whether calls passed through the stops one after the other, and not where they must not."""
    place = {code: number for number, code in enumerate(seen)}
    places = []
    for path, name in program.stops:
        code = code_of(path, name)
        assert code in place, f"{path}: {name} is not called"
        places.append(place[code])
    assert places == sorted(places), program.stops
    for path, name in program.not_passed:
        assert code_of(path, name) not in place, f"{path}: {name} is called"


def test_calls_pass_through_the_stops_in_the_order_of_the_page():
    with tf.Graph().as_default():
        namespace = {}
        for program in PROGRAMS:
            printed, seen = run(program, namespace)
            if program.output or not program.is_watched:
                assert printed == program.output, program.source
            check_order(program, seen)
        for value in namespace.values():
            if isinstance(value, tf.Session):
                value.close()


@pytest.mark.parametrize(("path", "name"), STOPS)
def test_what_a_stop_names_is_there(path, name):
    found = resolve(path, name)
    assert (ROOT / path).is_file()
    assert sys.modules[found.__module__].__file__ == str(ROOT / path), "it comes from elsewhere"
    assert found.__doc__ or name.startswith("_"), f"{name} has no docstring to read"


def test_the_stops_are_numbered():
    numbers = [int(number) for number in re.findall(r"^### (\d+)\.", TEXT, re.MULTILINE)]
    assert numbers == list(range(1, len(STOPS) + 1))
    assert len(STOPS) > 30


def test_files_that_are_named_exist():
    for path in re.findall(r"`(t\w+/[\w/]+(?:\.py|/))`", TEXT):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"\]\((?!http)([^)#]+)\)", TEXT):
        assert (ROOT / "docs" / path).exists(), path


def test_functions_that_are_named_in_the_text_exist():
    """`Compiler.compile`, `FetchPlan.build` ...: the class is that of a stop, or its neighbour."""
    known = {part for _, name in STOPS for part in name.split(".")}
    classes = {**{c.__name__: c for c in map(class_of, STOPS) if c is not None}}
    classes["Compiler"] = resolve("tinytf/runtime/compiler.py", "Compiler")
    for owner, name in re.findall(r"`([A-Z]\w+)\.(\w+)`", TEXT):
        if owner in known | {"Compiler"}:
            described = getattr(classes[owner], "__doc__", "")
            assert hasattr(classes[owner], name) or f"{name}:" in described, f"{owner}.{name}"


def class_of(stop):
    path, name = stop
    found = resolve(path, name.partition(".")[0])
    return found if isinstance(found, type) else None


FEED, FETCH = (
    ("tinytf/session/feeds.py", "resolve_feed"),
    ("tinytf/session/fetches.py", "FetchPlan"),
)
STEP = f"""import tinytf as tf
x = tf.placeholder(tf.float32)
sess = tf.Session()
{WATCHED}sess.run(x + 1.0, {{x: 1.0}})
sess.close()
"""


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Program(STEP, stops=[FETCH, FEED]), "FetchPlan"),
        (Program(STEP, stops=[("tinytf/runtime/partition.py", "Partition")]), "is not called"),
        (Program(STEP, not_passed=[FEED]), "is called"),
    ],
)
def test_what_is_not_so_is_noticed(wrong, words):
    with tf.Graph().as_default():
        _, seen = run(wrong, {})
    check_order(Program(STEP, stops=[FEED, FETCH]), seen)
    with pytest.raises(AssertionError, match=words):
        check_order(wrong, seen)


def test_calls_on_other_threads_are_seen():
    def work():
        resolve("tinytf/session/feeds.py", "Feed")

    with calls_seen() as seen:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert list(seen).index(work.__code__) < list(seen).index(resolve.__code__)
