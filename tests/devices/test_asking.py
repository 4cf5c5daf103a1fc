"""Asking for simulated GPUs: what is understood, what is refused, and when it takes effect."""

import json
import os
import subprocess
import sys

import pytest

import tinytf as tf
from tinytf.devices import asking


def gpu_names(**config):
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(**config)) as session:
        return [d.name for d in session.list_devices() if d.device_type == "GPU"]


def test_asking_gives_later_sessions_gpus():
    before = gpu_names()
    said = repr(tf.devices.simulate_gpus(2, "1GiB"))
    assert "2 simulated GPUs of 1 GiB" in said
    assert "sessions opened from now on" in said
    assert gpu_names() == [f"/job:localhost/replica:0/task:0/device:GPU:{n}" for n in (0, 1)]
    assert "no simulated GPUs" in repr(tf.devices.simulate_gpus(0))
    assert gpu_names() == before


def test_a_session_keeps_the_gpus_it_was_opened_with():
    tf.devices.simulate_gpus(2)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.devices.simulate_gpus(1)
        assert len([d for d in session.list_devices() if d.device_type == "GPU"]) == 2
        with tf.device("/gpu:1"):
            assert session.run(tf.ones([3]) * 2).tolist() == [2, 2, 2]
    assert len(gpu_names()) == 1


def test_asking_for_the_same_again_changes_nothing(opened):
    (gpu,) = opened()
    array = gpu.copy_in(tf.devices.device.np.ones(1000), "mine")
    (again,) = opened()
    assert again.memory is gpu.memory
    assert again.memory.in_use == 8192
    del array


def test_asking_for_something_else_starts_afresh(opened):
    (gpu,) = opened(memory="64MiB")
    array = gpu.copy_in(tf.devices.device.np.ones(1000), "mine")
    (other,) = opened(memory="32MiB")
    assert other.memory.in_use == 0
    assert other.memory.limit == 28 << 20
    assert gpu.memory.in_use == 8192  # its session goes on
    del array


@pytest.mark.parametrize(
    ("text", "count", "memory"),
    [
        ("2", 2, 4 << 30),
        ("2x4GiB", 2, 4 << 30),
        (" 3x512MiB ", 3, 512 << 20),
        ("1x1.5G", 1, 3 << 29),
        ("1x2GB", 1, 2_000_000_000 // 256 * 256),
        ("1x1048576", 1, 1 << 20),
    ],
)
def test_the_environment_asks_as_well(text, count, memory, monkeypatch):
    monkeypatch.setenv("TINYTF_SIMULATED_GPUS", text)
    wish = asking.asked()
    assert (wish.count, wish.memory) == (count, memory)
    assert len(gpu_names()) == count


def test_none_in_the_environment_means_none(monkeypatch):
    monkeypatch.setenv("TINYTF_SIMULATED_GPUS", "0")
    assert asking.asked() is None


@pytest.mark.parametrize("count", [-1, 65, 10**9, "2", 1.0, None, True])
def test_numbers_of_nonsense(count):
    with pytest.raises(ValueError, match="whole number from 1 to 64"):
        tf.devices.simulate_gpus(count)
    assert asking.asked() is None


@pytest.mark.parametrize(
    "memory",
    [0, -1, "", "much", "4", "4 XB", "-4GiB", "1KiB", "1000TiB", "4GiB 4GiB", None, 1e9, True],
)
def test_memory_of_nonsense(memory):
    with pytest.raises(ValueError, match='Write it like "4GiB"'):
        tf.devices.simulate_gpus(1, memory)
    assert asking.asked() is None


@pytest.mark.parametrize("name", ["", "../etc", "a/b", ".hidden", "a b", "x" * 65, 3])
def test_names_of_nonsense(name):
    with pytest.raises(ValueError, match="a simulated machine cannot be called"):
        tf.devices.simulate_gpus(1, machine=name)


@pytest.mark.parametrize("text", ["two", "2x", "x4GiB", "2x4GiBx", "-1", "65", "1x1B"])
def test_an_environment_of_nonsense_is_an_error_that_names_it(text, monkeypatch):
    monkeypatch.setenv("TINYTF_SIMULATED_GPUS", text)
    with pytest.raises(ValueError, match=f"TINYTF_SIMULATED_GPUS={text}"):
        tf.Session(graph=tf.Graph())


PROGRAM = """
import json, tinytf as tf
with tf.Session() as session:
    names = [d.name[-5:] for d in session.list_devices() if d.device_type == "GPU"]
print(json.dumps([names, tf.devices.asking.asked().machine]))
"""


def run_child():
    command = [sys.executable, "-c", PROGRAM]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    return json.loads(found.stdout)


def test_children_see_the_same_machine():
    wish = tf.devices.simulate_gpus(2, "1GiB")
    assert run_child() == [["GPU:0", "GPU:1"], wish.machine]


def test_children_see_it_too_where_only_the_environment_asked(monkeypatch):
    monkeypatch.setenv("TINYTF_SIMULATED_GPUS", "1x1GiB")
    tf.devices.prepare_children()
    assert run_child() == [["GPU:0"], asking.asked().machine]
    assert asking.asked().is_own


def test_without_a_name_a_process_stays_in_the_machine_it_is_in(monkeypatch):
    monkeypatch.setenv("TINYTF_SIMULATED_MACHINE", "lesson")
    assert tf.devices.simulate_gpus(1).machine == "lesson"
    assert tf.devices.simulate_gpus(2).machine == "lesson"
    tf.devices.simulate_gpus(0)
    own = tf.devices.simulate_gpus(1)
    assert own.is_own
    assert tf.devices.simulate_gpus(2).machine != own.machine  # children may be in the first


def test_the_report_is_there_without_an_import_of_its_own():
    program = "import tinytf as tf; print(len(tf.devices.report.gpus().machines))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_a_slip_of_the_pen_gets_advice():
    with pytest.raises(AttributeError, match=r"Did you mean tf\.devices\.simulate_gpus"):
        tf.devices.simulate_gpu(2)


@pytest.mark.parametrize("count", [0, -1])
def test_a_session_without_a_cpu_is_refused(count):
    """As in TensorFlow, whose words come first."""
    with pytest.raises(tf.errors.NotFoundError, match=r"^No CPU devices are available") as raised:
        tf.Session(config=tf.ConfigProto(device_count={"CPU": count}))
    assert f"device_count asks for {count}" in str(raised.value)
