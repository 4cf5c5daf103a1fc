"""Write tests/oracle/data/kernels.pb.gz: which kernels TensorFlow's GPU build has.

    python3 scripts/oracle/dump_kernels.py

For each op: device types, the types each kernel takes, what stays in host memory, priorities. The
GPU build lists its kernels without a card, but is another wheel than the one the oracle runs
(`tensorflow`, not `tensorflow-cpu`; 475 MB): it is downloaded, unpacked into a temporary folder
(2 GB), loaded from there, and deleted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.environment import (
    VERSION,
    compressed,
    continue_under_tensorflow,
    tensorflow_environment,
    write_atomically,
)
from tests.oracle.tables import KERNELS


def dump() -> bytes:
    """The serialised KernelList of the TensorFlow importable here, which must be a GPU build."""
    import tensorflow
    from tensorflow.core.framework import kernel_def_pb2
    from tensorflow.python.framework import kernels

    if not tensorflow.test.is_built_with_cuda():
        raise SystemExit("This TensorFlow was built without CUDA and has no GPU kernels to list.")
    listed = [
        kernel
        for kernel in kernels.get_all_registered_kernels().kernel
        if kernel.device_type in ("CPU", "GPU", "DEFAULT")
    ]
    # The order of the ops changes from run to run; that of one op's kernels does not, and is the
    # order in which TensorFlow lists them in its messages.
    listed.sort(key=lambda kernel: kernel.op)
    return kernel_def_pb2.KernelList(kernel=listed).SerializeToString(deterministic=True)


def dump_from_wheel() -> bytes:
    """Download the GPU build, unpack it and let a process that sees it first do the dump."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*pip, f"tensorflow=={VERSION}"], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        unpacked = Path(folder) / "unpacked"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
        wheel.unlink()
        variables = {**tensorflow_environment(), "PYTHONPATH": str(unpacked)}
        command = [sys.executable, os.path.abspath(__file__), "--print"]
        return subprocess.run(command, env=variables, check=True, capture_output=True).stdout


if __name__ == "__main__":
    continue_under_tensorflow()
    if "--print" in sys.argv:
        sys.stdout.buffer.write(dump())
    else:
        write_atomically(KERNELS, compressed(dump_from_wheel()))
