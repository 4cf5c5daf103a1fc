"""Simulated GPUs for a test, in a folder of its own."""

import pytest

import tinytf as tf
from tinytf.devices import asking

TASK = "/job:localhost/replica:0/task:0"


@pytest.fixture(autouse=True)
def machines_folder(tmp_path, monkeypatch):
    """An empty folder of machines, and no GPUs asked for; afterwards as it was."""
    folder = tmp_path / "machines"
    monkeypatch.setenv("TINYTF_MACHINES", str(folder))
    for variable in (asking.GPUS_VARIABLE, asking.MACHINE_VARIABLE):
        monkeypatch.setenv(variable, "")  # so that it is put back, whatever the test does
        monkeypatch.delenv(variable)
    yield folder
    tf.devices.simulate_gpus(0)


@pytest.fixture
def opened():
    """A function that opens the simulated GPUs of a session: opened(count, memory, **options)."""

    def open_gpus(count=1, memory="64MiB", machine=None, device_count=None, **options):
        tf.devices.simulate_gpus(count, memory, machine)
        config = tf.ConfigProto(
            gpu_options=tf.GPUOptions(**options), device_count=device_count or {}
        )
        devices = tf.devices.open_devices(config, TASK, 7)
        return [device for device in devices if device.device_type == "GPU"]

    return open_gpus
