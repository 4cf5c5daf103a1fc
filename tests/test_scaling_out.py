"""docs/scaling-out.md: its programs and commands run, and print what stands there."""

import contextlib
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.kept_ports import kept_ports
from tests.oracle.environment import tensorflow_environment
from tinytf import cli
from tinytf.cli import machine

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "scaling-out.md").read_text(encoding="utf-8")
TEMPLATES = ROOT / "docs" / "templates"
TRAIN, IN_A_NOTEBOOK, TASK = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
ON_TENSORFLOW, BY_HAND, LAUNCHED, ONE_TASK, FROM_TF_CONFIG = re.findall(
    r"```sh\n(.*?)```", TEXT, re.DOTALL
)
(PRINTED,) = set(re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL))
LOCAL, _ = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def place(tmp_path):
    """(A folder with the page's files and `tinytf` on the path, ports of its own)."""
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "tf_task.py").write_text(TASK)
    command(tmp_path, "tinytf", f'exec {sys.executable} -m tinytf "$@"')
    command(tmp_path, "python", f'exec {sys.executable} "$@"')
    with kept_ports(3) as ports:
        cluster = LOCAL
        for page, here in zip(("2221", "2222", "2223"), ports, strict=True):
            cluster = cluster.replace(page, str(here))
        (tmp_path / "cluster.json").write_text(cluster)
        yield tmp_path, ports


def command(folder, name, script):
    """A program on the path of `run`."""
    (folder / "bin").mkdir(exist_ok=True)
    path = folder / "bin" / name
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def environment(folder, **more):
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        **more,
    }


@contextlib.contextmanager
def serving(folder, *commands):
    """Tasks that run while the block does; they have said that they serve."""
    with contextlib.ExitStack() as stack:
        for line, more in commands:
            task = stack.enter_context(
                subprocess.Popen(
                    ["bash", "-c", f"exec {line}"],
                    cwd=folder,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=environment(folder, **more),
                )
            )
            stack.callback(task.terminate)
            assert task.stdout.readline().startswith("Serving")
        yield


def trained(folder, target):
    return subprocess.run(
        [sys.executable, "train.py", target],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=True,
        timeout=90,
    ).stdout


@pytest.mark.slow
def test_in_a_notebook(capsys):
    names = {"__name__": "page"}
    exec(TRAIN, names)  # noqa: S102 - ours
    exec(IN_A_NOTEBOOK, names)  # noqa: S102
    assert capsys.readouterr().out == PRINTED


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_tasks_from_one_file(place):
    folder, ports = place
    line = ONE_TASK.strip().replace(" --allow-remote-clients --tls certs/host-b", "")
    assert line.startswith("tinytf serve --cluster-file cluster.json")
    tasks = [("ps", 0), ("worker", 0), ("worker", 1)]
    lines = [line.replace("--job worker --task 1", f"--job {j} --task {i}") for j, i in tasks]
    with serving(folder, *((each, {}) for each in lines)):
        assert trained(folder, f"grpc://localhost:{ports[1]}") == PRINTED


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_tasks_from_the_environment(place):
    folder, ports = place
    export, line = FROM_TF_CONFIG.strip().rsplit("\n", 1)
    config = json.loads(re.search(r"'(.*)'", export, re.DOTALL)[1])
    config["cluster"] = json.loads((folder / "cluster.json").read_text())
    found = []
    for job, index in (("ps", 0), ("worker", 0), ("worker", 1)):
        config["task"] = {"type": job, "index": index}
        found.append((line, {"TF_CONFIG": json.dumps(config)}))
    with serving(folder, *found):
        assert trained(folder, f"grpc://localhost:{ports[1]}") == PRINTED


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_program_for_each_task(place):
    folder, ports = place
    course = folder / "course"
    shutil.copytree(ROOT / "notebooks" / "replication", course / "replication")
    for name in ("digits.py", "optdigits"):
        (course / name).symlink_to(ROOT / "notebooks" / name)
    script = BY_HAND + "wait %2; kill %1; wait\n"
    for page, here in zip(("2221", "2222", "2223"), ports, strict=True):
        script = script.replace(page, str(here))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=course / "replication",
        capture_output=True,
        text=True,
        timeout=100,
        env=environment(folder),
    )
    assert len(re.findall(r"accuracy 0\.[89]\d", done.stdout)) == 2, done.stderr[-2000:]


def test_the_launcher_knows_the_options():
    command, *arguments = shlex.split(LAUNCHED)
    assert command == "tinytf"
    found = cli._parser().parse_args(arguments)
    assert (found.ps, found.worker) == (1, 2)
    assert (ROOT / "notebooks" / "replication" / found.script).is_file()


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_the_template_for_slurm(place):
    folder, ports = place
    # Three hosts of one machine differ by their loopback addresses.
    command(folder, "scontrol", 'printf "127.0.0.1\\n127.0.0.2\\n127.0.0.3\\n"')
    command(folder, "srun", 'while [[ "$1" == --* ]]; do shift; done; exec "$@"')
    result = subprocess.run(
        ["bash", str(TEMPLATES / "slurm.sh"), "train.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        env=environment(
            folder, SLURM_JOB_NODELIST="host[1-3]", SLURM_JOB_ID="7", PORT=str(ports[0])
        ),
    )
    assert result.returncode == 0, result.stderr[-2000:]
    assert result.stdout.splitlines()[-1] == PRINTED.strip()
    assert json.loads((folder / "cluster-7.json").read_text()) == {
        "ps": [f"127.0.0.1:{ports[0]}"],
        "worker": [f"127.0.0.2:{ports[0]}", f"127.0.0.3:{ports[0]}"],
    }


def test_the_template_for_kubernetes():
    parts = list(yaml.safe_load_all((TEMPLATES / "kubernetes.yaml").read_text()))
    by_kind = {(part["kind"], part["metadata"]["name"]): part for part in parts}
    cluster = json.loads(by_kind["ConfigMap", "cluster"]["data"]["cluster.json"])
    for job, addresses in cluster.items():
        pods = by_kind["StatefulSet", job]["spec"]
        service = by_kind["Service", pods["serviceName"]]
        assert service["spec"]["clusterIP"] == "None"
        assert pods["template"]["metadata"]["labels"] == service["spec"]["selector"]
        (port,) = (each["port"] for each in service["spec"]["ports"])
        (container,) = pods["template"]["spec"]["containers"]
        assert f"--job {job} --task ${{HOSTNAME##*-}}" in container["command"][-1]
        assert addresses == [f"{job}-{i}.{job}:{port}" for i in range(pods["replicas"])]
    (client,) = by_kind["Job", "client"]["spec"]["template"]["spec"]["containers"]
    assert client["command"][-1] == f"grpc://{cluster['worker'][0]}"


@pytest.mark.tensorflow
@pytest.mark.netns
@pytest.mark.timeout(150)
def test_on_a_real_tensorflows_servers(place):
    folder, _ = place
    (folder / "cluster.json").write_text(LOCAL)
    command(
        folder,
        "python",
        f"""case "$1" in
        tf_task.py) exec {machine.tensorflow_python()} "$@" 2>/dev/null ;;
        *) exec {sys.executable} "$@" ;;
    esac""",
    )
    script = "ip link set lo up\n" + ON_TENSORFLOW + "kill $(jobs -p)\n"
    result = subprocess.run(
        ["unshare", "--net", "bash", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=140,
        env={**tensorflow_environment(), **environment(folder)},
    )
    assert result.stdout.splitlines()[-1:] == PRINTED.splitlines(), result.stderr[-2000:]
