"""Frames on a unix socket: whole, in order, by many threads; and what hostile bytes come to."""

import random
import socket
import threading
from types import SimpleNamespace

import pytest

from tests.distributed.waiting import until
from tests.distributed.wire.interrupts import Interrupted
from tests.effort import rounds
from tests.waiting import LONG
from tinytf.distributed.wire import unix_frames
from tinytf.distributed.wire.unix_frames import (
    ANSWER,
    REQUEST,
    FrameReader,
    FrameWriter,
    Malformed,
    head,
)
from tinytf.runtime.thread_pool import ElasticPool


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    yield one, other
    one.close()
    other.close()


@pytest.fixture
def later():
    pool = ElasticPool("test-later")
    yield pool.submit
    pool.shutdown()


def in_thread(function):
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    return thread


def some_frames(chance, count):
    """(bytes, what is to be read) of frames of all sizes."""
    data, expected = [], []
    for number in range(count):
        size = chance.choice([0, 1, 7, 100, 5000, 65_500, 65_536, 70_000, 300_000])
        message = chance.randbytes(size)
        path = chance.choice(["", "/a", "/tensorflow.WorkerService/RecvTensor", "/ü"])
        seconds = chance.choice([None, 0.5, 1e6])
        data += [head(REQUEST, number, size, path.encode(), seconds), message]
        expected.append((REQUEST, number, path, message, size, seconds))
    return b"".join(data), expected


@pytest.mark.parametrize("seed", range(4))
def test_frames_come_whole_however_the_bytes_come(ends, seed):
    one, other = ends
    chance = random.Random(seed)
    data, expected = some_frames(chance, 25)

    def write():
        position = 0
        while position < len(data):
            size = chance.choice([1, 3, 19, 20, 21, 1000, 65_536, 200_000])
            one.sendall(data[position : position + size])
            position += size
        one.shutdown(socket.SHUT_WR)

    writer = in_thread(write)
    reader, found = FrameReader(other), []
    while (frame := reader.read()) is not None:
        found.append(frame._replace(message=bytes(frame.message)))
    assert found == expected
    assert reader.rest()
    writer.join()


def test_long_messages_are_memory_of_their_own_and_nobody_writes_there(ends):
    one, other = ends
    message = bytes(range(256)) * 1000
    in_thread(lambda: one.sendall(head(ANSWER, 5, len(message)) + message))
    frame = FrameReader(other).read()
    assert isinstance(frame.message, memoryview)
    assert frame.message.readonly
    assert frame.message == message


def test_what_is_too_long_is_thrown_away_and_the_next_is_read(ends):
    one, other = ends
    data = head(REQUEST, 1, 200_000, b"/a") + bytes(200_000) + head(REQUEST, 2, 3, b"/b") + b"yes"
    in_thread(lambda: one.sendall(data))
    reader = FrameReader(other, most_bytes=100_000)
    first, second = reader.read(), reader.read()
    assert (first.number, first.message, first.size) == (1, None, 200_000)
    assert (second.number, second.message) == (2, b"yes")


def test_a_timeout_in_the_middle_of_a_frame_loses_nothing(ends):
    one, other = ends
    data = head(REQUEST, 1, 100_000, b"/a") + bytes(100_000)
    other.settimeout(0.01)
    reader = FrameReader(other)
    for begin, end in ((0, 10), (10, 30), (30, 50_000)):
        one.sendall(data[begin:end])
        with pytest.raises(TimeoutError):
            reader.read()
        assert not reader.rest()
    in_thread(lambda: one.sendall(data[50_000:]))
    other.settimeout(None)
    assert reader.read().message == bytes(100_000)


def test_an_end_in_the_middle_of_a_frame_is_the_end(ends):
    for size in (5, 20, 30, 90_000):
        one, other = socket.socketpair()
        one.sendall((head(REQUEST, 1, 100_000, b"/a") + bytes(100_000))[:size])
        one.close()
        assert FrameReader(other).read() is None
        other.close()


def test_hostile_bytes_are_frames_or_malformed():
    chance = random.Random(20)
    data, _ = some_frames(chance, 3)
    for _ in range(rounds(300)):
        damaged = bytearray(data[: chance.randrange(len(data))] or b"x")
        for _ in range(chance.randrange(1, 6)):
            damaged[chance.randrange(min(len(damaged), 60))] = chance.randrange(256)
        one, other = socket.socketpair()
        with one, other:
            feeding = in_thread(lambda end=one, what=damaged: feed(end, what))
            reader = FrameReader(other, most_bytes=1 << 20)
            try:
                while reader.read() is not None:
                    continue
            except Malformed:
                pass
            other.close()
            feeding.join(LONG)


def feed(end, data):
    try:
        end.sendall(data)
        end.shutdown(socket.SHUT_WR)
    except OSError:
        return  # nobody reads it


@pytest.mark.parametrize(
    "header",
    [(0, 0, 0, 0, 0.0), (0, 0, 99, 0, 0.0), (1 << 31, 0, REQUEST, 0, 0.0),
     (0, 0, REQUEST, 60_000, 0.0), (0, 0, REQUEST, 0, -1.0), (0, 0, REQUEST, 0, float("nan")),
     (0, 0, REQUEST, 0, float("inf"))],
)  # fmt: skip
def test_headers_that_nobody_writes(ends, header):
    one, other = ends
    one.sendall(unix_frames._HEADER.pack(*header))
    with pytest.raises(Malformed):
        FrameReader(other).read()


# Writing ------------------------------------------------------------------------------------------


def test_frames_of_many_threads_are_whole_and_each_threads_are_in_order(ends, later):
    one, other = ends
    writer = FrameWriter(one, later, lambda: None)
    chance = random.Random(7)
    sizes = [[chance.choice([0, 10, 3000, 250_000]) for _ in range(30)] for _ in range(6)]

    def write(mine):
        for count, size in enumerate(sizes[mine]):
            message = bytes([mine]) * size
            writer.write([head(ANSWER, mine * 1000 + count, size), message])

    threads = [in_thread(lambda mine=mine: write(mine)) for mine in range(6)]
    reader, seen = FrameReader(other), [[] for _ in range(6)]
    for _ in range(180):
        frame = reader.read()
        mine, count = divmod(frame.number, 1000)
        assert bytes(frame.message) == bytes([mine]) * sizes[mine][count]
        seen[mine].append(count)
    assert seen == [list(range(30))] * 6
    for thread in threads:
        thread.join()


def test_nobody_waits_for_one_who_does_not_read(ends, later):
    one, other = ends
    writer = FrameWriter(one, later, lambda: None)
    over = threading.Event()

    def write():
        for number in range(50):
            writer.write([head(ANSWER, number, 1 << 20), bytes(1 << 20)])
        over.set()

    in_thread(write)
    assert over.wait(LONG)  # far more than the socket takes
    reader = FrameReader(other)
    assert [reader.read().number for _ in range(50)] == list(range(50))


@pytest.mark.parametrize("size", [10, 300_000])
def test_an_interrupt_tears_no_frame(ends, later, size):
    """After each call, one after the other."""
    one, other = ends
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 100_000)  # the system takes a part at once
    writer, reader = FrameWriter(one, later, pytest.fail), FrameReader(other)
    interrupts = 0
    for count in range(30):
        was_interrupted = interrupted_write(writer, count, size)
        interrupts += was_interrupted
        thread = in_thread(lambda: writer.write([head(ANSWER, count, 5), b"after"]))  # noqa: B023
        seen = messages_until(reader, {b"after"})
        thread.join()
        assert seen[:-1] in ([[], [bytes(size)]] if was_interrupted else [[bytes(size)]])
    assert interrupts >= 5  # fewer, the more another thread writes


@pytest.mark.parametrize("seed", range(3))
def test_an_interrupt_loses_no_frame_of_another_thread(ends, later, seed):
    """Which writes at the same time."""
    one, other = ends
    writer, reader = FrameWriter(one, later, pytest.fail), FrameReader(other)
    chance = random.Random(seed)
    for number in range(rounds(100)):
        size = chance.choice([10, 300_000])
        in_thread(lambda: writer.write([head(ANSWER, number, 6), b"during"]))  # noqa: B023
        was_interrupted = interrupted_write(writer, number, size, chance.randrange(30))
        in_thread(lambda: writer.write([head(ANSWER, number, 5), b"after"]))  # noqa: B023
        seen = messages_until(reader, {b"during", b"after"})
        assert seen.count(bytes(size)) in ([0, 1] if was_interrupted else [1])
        assert len(seen) == 2 + seen.count(bytes(size))


def interrupted_write(writer, number, size, after=None):
    """Write a frame; whether that was interrupted."""
    frame = [head(ANSWER, number, size), bytes(size)]
    try:
        with Interrupted(number if after is None else after, unix_frames):
            writer.write(frame)
    except KeyboardInterrupt:
        return True
    return False


def messages_until(reader, last):
    """What is read until all of `last` have come."""
    seen = []
    while not last <= set(seen):
        seen.append(bytes(reader.read().message))
    return seen


def test_who_writes_in_the_middle_of_a_write_comes_after_it(ends, later):
    """As what the garbage collector frees may."""
    one, other = ends

    def sendmsg(*args):
        if not nested:
            nested.append(writer.write([head(ANSWER, 2, 6), b"nested"]))
        return one.sendmsg(*args)

    nested, writer = [], FrameWriter(SimpleNamespace(sendmsg=sendmsg), later, pytest.fail)
    writer.write([head(ANSWER, 1, 5), b"outer"])
    reader = FrameReader(other)
    assert [reader.read().message for _ in range(2)] == [b"outer", b"nested"]


def test_a_connection_that_breaks_is_told_of_and_takes_no_more(ends, later):
    one, other = ends
    failed = threading.Semaphore(0)
    writer = FrameWriter(one, later, failed.release)
    other.close()

    def write():
        writer.write([head(ANSWER, 1, 1 << 20), bytes(1 << 20)])
        writer.write([head(ANSWER, 2, 0)])

    in_thread(write).join(LONG)
    assert failed.acquire(timeout=LONG)
    assert not failed.acquire(blocking=False)


def test_where_there_are_no_more_threads_the_connection_is_over(ends):
    one, _ = ends
    failed = threading.Semaphore(0)

    def none(function):
        raise RuntimeError("can't start new thread")

    writer = FrameWriter(one, none, failed.release)
    in_thread(lambda: writer.write([head(ANSWER, 1, 8 << 20), bytes(8 << 20)])).join(LONG)
    assert failed.acquire(timeout=LONG)


def test_who_closes_waits_until_nobody_writes(ends, later):
    one, _ = ends
    writer = FrameWriter(one, later, lambda: None)
    in_thread(lambda: writer.write([head(ANSWER, 1, 8 << 20), bytes(8 << 20)])).join(LONG)
    assert until(writer._waits.locked)  # another thread goes on
    one.shutdown(socket.SHUT_RDWR)
    writer.close()
    writer.write([head(ANSWER, 2, 0)])
    assert not writer._frames
