"""Partial device names: what the runtime reads, and what it makes of two of them."""

import pytest

from tinytf.placement.partial_devices import (
    ANYWHERE,
    Conflict,
    compatible,
    matches,
    merge,
    override,
    parse,
    text_of,
)

# Each of these was given to TensorFlow 2.15.1 as the device of a node: it could read these ...
READABLE = {
    "": "",
    "/": "",
    "/device:GPU": "/device:GPU:*",
    "/device:*": "",
    "/device:GPU:*": "/device:GPU:*",
    "/job:a_1": "/job:a_1",
    "/task:1/job:localhost": "/job:localhost/task:1",
    "/job:localhost/device:CPU": "/job:localhost/device:CPU:*",
    "/job:*": "",
    "/job:*/task:*": "",
    "/replica:*": "",
    "/device:*:*": "",
    "/cpu:*": "/device:CPU:*",
    "/task:007": "/task:7",
    "/device:XLA_CPU:0": "/device:XLA_CPU:0",
    "/cpu:0/cpu:1": "/device:CPU:1",
    "/job:localhost/job:ps": "/job:ps",
    "/CPU:0/task:0": "/task:0/device:CPU:0",
    "/device:CPU:0/device:*:*": "",
    "/gpu:3": "/device:GPU:3",
    "/cpu:00": "/device:CPU:0",
}
# ... and said of these: Malformed device specification.
UNREADABLE = [
    "/job:a-b",
    "/cpu:0x",
    "/Cpu:0",
    "/job:1a",
    "/job:_a",
    "/task:+1",
    "/task:-1",
    "tomato",
    "//",
    "/cpu:0/",
    "/device:GPU:0:1",
    "/gpu",
    "/job:*a",
    "/device:CPU:",
    "/cpu:",
    "/device:1:0",
    "/device:_A:0",
    "/job:",
    "/job:localhost/",
    "cpu:0",
    "/task: 1",
    "/tpu:0",
    "/TPU:0",
    "/job:locälhost",
    "/gpu:1_0",
    "/cpu:0\n",
    "/device:GPU*:1",
]


@pytest.mark.parametrize(("name", "canonical"), READABLE.items())
def test_names_that_are_read(name, canonical):
    partial = parse(name)
    assert partial is not None
    assert text_of(partial) == canonical
    assert parse(canonical) == partial


@pytest.mark.parametrize("name", UNREADABLE)
def test_names_that_are_not(name):
    assert parse(name) is None


def test_merging_takes_what_both_give():
    merged = merge(parse("/job:a/gpu:*"), parse("/task:1/gpu:2"))
    assert text_of(merged) == "/job:a/task:1/device:GPU:2"
    assert merge(ANYWHERE, merged) == merge(merged, ANYWHERE) == merged


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        ("/job:a", "/job:b", "incompatible jobs: '/job:a' and '/job:b'"),
        ("/replica:1", "/replica:2", "incompatible replicas: '/replica:1' and '/replica:2'"),
        ("/task:1", "/job:b/task:2", "incompatible tasks: '/job:b/task:1' and '/job:b/task:2'"),
        ("/cpu:0", "/gpu:0", "incompatible types: '/device:CPU:0' and '/device:GPU:0'"),
        ("/cpu:0", "/cpu:1", "incompatible ids: '/device:CPU:0' and '/device:CPU:1'"),
    ],
)
def test_what_cannot_be_merged(one, other, says):
    with pytest.raises(Conflict) as caught:
        merge(parse(one), parse(other))
    assert str(caught.value) == f"Cannot merge devices with {says}"
    assert not compatible(parse(one), parse(other))


def test_soft_merging_leaves_open_what_is_at_odds():
    assert text_of(merge(parse("/task:1/cpu:0"), parse("/job:a/gpu:0"), soft=True)) == (
        "/job:a/task:1"
    )
    assert text_of(merge(parse("/cpu:0"), parse("/job:a/cpu:1"), soft=True)) == (
        "/job:a/device:CPU:*"
    )
    with pytest.raises(Conflict):
        merge(parse("/job:a"), parse("/job:b"), soft=True)


def test_overriding_and_matching():
    assert text_of(override(parse("/job:a/gpu:1"), parse("/task:2/cpu:*"))) == (
        "/job:a/task:2/device:CPU:1"
    )
    full = parse("/job:a/replica:0/task:1/device:GPU:2")
    assert matches(ANYWHERE, full)
    assert matches(parse("/job:a/gpu:*"), full)
    assert not matches(parse("/gpu:1"), full)
