"""`device_lib`, `tf.test` and `tf.config`: whether there is a GPU, as programs ask."""

import pytest

import tinytf as tf
from tinytf.devices import simulated
from tinytf.framework.errors import InvalidArgumentError
from tinytf.python.client import device_lib


@pytest.fixture
def two_gpus(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTF_MACHINES", str(tmp_path))
    for variable in ("TINYTF_SIMULATED_GPUS", "TINYTF_SIMULATED_MACHINE"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    yield tf.devices.simulate_gpus(2, "1GiB")
    tf.devices.simulate_gpus(0)


def test_local_devices(two_gpus):
    cpu, first, second = device_lib.list_local_devices()
    assert (cpu.name, cpu.device_type, cpu.memory_limit) == ("/device:CPU:0", "CPU", 256 << 20)
    assert cpu.physical_device_desc == ""
    assert (first.name, second.name) == ("/device:GPU:0", "/device:GPU:1")
    assert first.memory_limit == 896 << 20
    assert "name: Simulated GPU" in first.physical_device_desc
    assert first.HasField("locality")
    assert first.xla_global_id == -1


def test_local_devices_of_a_configuration(two_gpus):
    config = tf.ConfigProto(device_count={"CPU": 2, "GPU": 1})
    names = [device.name for device in device_lib.list_local_devices(config)]
    assert names == ["/device:CPU:0", "/device:CPU:1", "/device:GPU:0"]
    config.gpu_options.visible_device_list = "9"
    with pytest.raises(InvalidArgumentError, match="listed an invalid GPU id '9'"):
        device_lib.list_local_devices(config)


def test_looking_takes_no_memory_and_decides_nothing(two_gpus):
    device_lib.list_local_devices()
    (account, _) = simulated.own_accounts(two_gpus.machine).values()
    assert account.reserved == 0
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.25))
    with tf.Graph().as_default(), tf.Session(config=config) as session, tf.device("/gpu:0"):
        session.run(tf.random_normal([10]))
    assert account.reserved == 256 << 20


def test_is_there_a_gpu(two_gpus):
    assert tf.test.is_gpu_available()
    assert not tf.test.is_gpu_available(cuda_only=True)
    assert tf.test.is_gpu_available(min_cuda_compute_capability=(3, 0))
    assert not tf.test.is_gpu_available(min_cuda_compute_capability=(3, 5))
    assert tf.test.gpu_device_name() == "/device:GPU:0"


def test_there_is_none(two_gpus, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert not tf.test.is_gpu_available()
    assert tf.test.gpu_device_name() == ""
    assert tf.config.list_physical_devices("GPU") == []


def test_physical_devices(two_gpus):
    assert tf.config.list_physical_devices() == [
        ("/physical_device:CPU:0", "CPU"),
        ("/physical_device:GPU:0", "GPU"),
        ("/physical_device:GPU:1", "GPU"),
    ]
    assert len(tf.config.experimental.list_physical_devices("GPU")) == 2
    assert tf.config.list_physical_devices("TPU") == []
