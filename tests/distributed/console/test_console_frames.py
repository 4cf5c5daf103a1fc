"""Messages in the pipes of a task's console, and what is none: at both ends, and in the parent."""

import contextlib
import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.waiting import LONG
from tinytf.distributed.console import console_frames
from tinytf.distributed.console.console_frames import FrameError
from tinytf.distributed.console.task_console import CellError, Console


def through_pipe(data):
    """What `receive` makes of bytes, message by message, until the end or an error."""
    read, write = os.pipe()
    try:
        os.write(write, data)
        os.close(write)
        found = []
        while (message := console_frames.receive(read)) is not None:
            found.append(message)
        return found
    finally:
        os.close(read)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.lists(st.dictionaries(st.text(max_size=5), json_values, max_size=3), max_size=3))
def test_messages_arrive_as_they_were_sent(messages):
    read, write = os.pipe()
    try:
        for message in messages:
            console_frames.send(write, message)
        os.close(write)
        assert [console_frames.receive(read) for _ in messages] == messages
        assert console_frames.receive(read) is None
    finally:
        os.close(read)


@given(st.binary(min_size=1, max_size=40))
def test_bytes_that_are_no_messages(data):
    found = []
    with contextlib.suppress(FrameError):
        found = through_pipe(data)
    assert all(isinstance(message, dict) for message in found)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"Hello, world!\n", r"a message of 1,214,606,444 bytes was announced \(by b'Hell'\)"),
        (b"\0\0", "it ended in the middle of a message's length"),
        (b"\0\0\0\5abc", "it ended after 3 of a message's 5 bytes"),
        (b"\0\0\0\3abc", "this is not JSON: b'abc'"),
        (b"\0\0\0\2\xff\xff", "this is not JSON"),
        (b"\0\0\0\0", "this is not JSON: b''"),
        (b"\0\0\0\2[]", "this is not a JSON object"),
        (struct.pack(">I", 30_000) + b"[" * 30_000, "this is not JSON"),
    ],
)
def test_what_is_wrong_is_said(data, words):
    with pytest.raises(FrameError, match=words):
        through_pipe(data)


def test_a_message_that_is_too_long(monkeypatch):
    monkeypatch.setattr(console_frames, "MAX_BYTES", 20)
    with pytest.raises(ValueError, match="the limit is 20"):
        console_frames.send(-1, {"code": "x" * 20})


def fake(replies):
    """A console whose task answers the first cell with these bytes, and then closes its end."""
    code, write = os.pipe()
    read, answers = os.pipe()
    console = Console(write, read, "worker:0")
    os.close(write)
    os.close(read)
    run = console.run("1", 1)
    try:
        assert console_frames.receive(code)["code"] == "1"
        os.write(answers, replies)
    finally:
        os.close(code)
        os.close(answers)
    return console, run


def framed(*messages):
    read, write = os.pipe()
    for message in messages:
        console_frames.send(write, message)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        return pipe.read()


@given(
    st.binary(max_size=40)
    | st.builds(
        framed,
        st.dictionaries(
            st.sampled_from(["run", "stdout", "error", "short", "complete", "matches"]), json_values
        ),
    )
)
def test_a_broken_child_ends_the_cell_with_an_error(replies):
    console, run = fake(replies)
    with pytest.raises(CellError, match="worker:0"):
        run.wait(LONG)
    console.close()
    assert run.error.ended
