"""CUDA_VISIBLE_DEVICES, visible_device_list and device_count: which GPUs, in which order."""

import pytest

import tinytf as tf
from tinytf.devices import visible
from tinytf.framework.errors import InvalidArgumentError


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (None, [0, 1, 2, 3]),
        ("", []),
        ("2", [2]),
        ("3,1", [3, 1]),
        (" 1 , 0", [1, 0]),
        ("-1", []),
        ("0,-1,1", [0]),
        ("1,4,0", [1]),
        ("a", []),
        ("0,a,1", [0]),
        ("0,0", []),
        ("1,2,1", []),
        ("0,", [0]),
        ("NoDevFiles", []),
        ("0,1,2,3", [0, 1, 2, 3]),
    ],
)
def test_what_cuda_shows(value, seen):
    assert visible.by_environment(value, 4) == seen


def config_of(listed="", **counts):
    return tf.ConfigProto(
        gpu_options=tf.GPUOptions(visible_device_list=listed), device_count=counts
    )


@pytest.mark.parametrize(
    ("config", "chosen"),
    [
        (config_of(), [0, 1, 2]),
        (config_of("2,0"), [2, 0]),
        (config_of("1"), [1]),
        (config_of(GPU=0), []),
        (config_of(GPU=2), [0, 1]),
        (config_of("2,1,0", GPU=2), [2, 1]),
        (config_of(GPU=9), [0, 1, 2]),
        (config_of("7", GPU=0), []),
        (config_of(GPU=-1), []),
    ],
)
def test_what_a_session_chooses(config, chosen):
    assert visible.by_options(config, 3) == chosen


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        ("one", "Could not parse entry in 'visible_device_list': 'one'. visible_device_list = one"),
        ("0,", "Could not parse entry in 'visible_device_list': ''"),
        ("0;1", "Could not parse entry"),
        ("3", "'visible_device_list' listed an invalid GPU id '3' but visible device count is 3"),
        ("-1", "'visible_device_list' listed an invalid GPU id '-1'"),
        ("0,1,0", "visible_device_list contained a duplicate entry: 0,1,0"),
    ],
)
def test_lists_of_nonsense(listed, words):
    with pytest.raises(InvalidArgumentError) as found:
        visible.by_options(config_of(listed), 3)
    assert words in str(found.value)


def test_gpus_that_are_seen_are_numbered_anew(opened, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,1")
    first, second = opened(4)
    assert first.name.endswith("/device:GPU:0")
    assert second.name.endswith("/device:GPU:1")
    # The position among those that are seen; the bus tells which one it is.
    assert first.attributes.description.startswith("device: 0, name: Simulated GPU, pci bus id: ")
    assert "0000:06:00.0" in first.attributes.description
    assert "0000:04:00.0" in second.attributes.description
    (other,) = opened(4, visible_device_list="1")
    assert other.name.endswith("/device:GPU:0")
    assert other.memory is second.memory
    with pytest.raises(InvalidArgumentError, match="visible device count is 2"):
        opened(4, visible_device_list="2")


def test_none_may_be_left(opened, monkeypatch):
    assert opened(2, device_count={"GPU": 0}) == []
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert opened(2) == []


def test_one_gpu_is_not_split_into_several(opened):
    from tinytf.protos.config_pb2 import GPUOptions

    parts = GPUOptions.Experimental.VirtualDevices(memory_limit_mb=[100, 100])
    with pytest.raises(tf.errors.UnimplementedError, match=r"simulate_gpus\(2"):
        opened(experimental=GPUOptions.Experimental(virtual_devices=[parts]))
