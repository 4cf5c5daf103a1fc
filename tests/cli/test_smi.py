"""`tinytf smi`, and `%smi` in a shell without a notebook."""

import json
import os

import pytest

import tinytf as tf
from tinytf.cli import main
from tinytf.devices import report

MEBIBYTE = 1 << 20


@pytest.fixture(autouse=True)
def machines_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTF_MACHINES", str(tmp_path / "machines"))
    for variable in ("TINYTF_SIMULATED_GPUS", "TINYTF_SIMULATED_MACHINE"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    monkeypatch.setattr(report, "_real", lambda: [])  # whatever cards this computer has
    yield
    tf.devices.simulate_gpus(0)


def use_memory():
    with tf.Graph().as_default(), tf.Session() as session, tf.device("/gpu:1"):
        session.run(tf.reduce_sum(tf.random_normal([1000, 1000])))


def test_nothing_there(capsys):
    assert main(["smi"]) == 0
    said = capsys.readouterr().out
    assert "There is no GPU here" in said
    assert "TINYTF_SIMULATED_GPUS=2x4GiB" in said
    assert main(["smi", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"machines": []}


def test_asked_for_and_not_used_yet(capsys):
    tf.devices.simulate_gpus(2, "64MiB", "lesson")
    assert main(["smi"]) == 0
    said = capsys.readouterr().out
    assert "| Simulated machine 'lesson' " in said
    assert said.count("0 MiB / 64 MiB") == 2


def test_memory_and_processes(capsys):
    tf.devices.simulate_gpus(2, "64MiB", "lesson")
    use_memory()
    assert main(["smi"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len({len(line) for line in lines}) == 1  # a frame
    (first, second) = (n for n, line in enumerate(lines) if "Simulated GPU" in line)
    for number, bus in ((first, "0000:03:00.0"), (second, "0000:04:00.0")):
        assert bus in lines[number]
        assert "56 MiB / 64 MiB" in lines[number]
        assert "[##################..]" in lines[number + 1]
    rows = [line.strip("| ").split() for line in lines if f" {os.getpid()} " in line]
    assert [(row[0], row[-2:]) for row in rows] == [("0", ["56", "MiB"]), ("1", ["56", "MiB"])]
    starts = ("| This process: GPU 0: 0 bytes of the 56 MiB", "|               GPU 1: 0 bytes of")
    for line, start in zip(lines[-3:-1], starts, strict=True):
        assert line.startswith(start)


def test_json(capsys):
    tf.devices.simulate_gpus(2, "64MiB", "lesson")
    use_memory()
    assert main(["smi", "--json", "--machine", "lesson"]) == 0
    (machine,) = json.loads(capsys.readouterr().out)["machines"]
    assert machine["name"] == "lesson"
    assert machine["simulated"] is True
    (process,) = machine["processes"]
    assert process["pid"] == os.getpid()
    assert process["memory"] == 2 * 56 * MEBIBYTE
    assert [
        (gpu["index"], gpu["simulated"], gpu["memory_total"], gpu["memory_taken"])
        for gpu in machine["gpus"]
    ] == [(n, True, 64 * MEBIBYTE, 56 * MEBIBYTE) for n in (0, 1)]
    assert machine["gpus"][0]["processes"][0]["pid"] == os.getpid()


def test_every_machine_that_is_in_use_is_shown_to_who_has_none(monkeypatch, capsys):
    tf.devices.simulate_gpus(1, "64MiB")
    for variable in ("TINYTF_SIMULATED_GPUS", "TINYTF_SIMULATED_MACHINE"):
        monkeypatch.delenv(variable)  # another program's view
    assert main(["smi"]) == 0
    said = capsys.readouterr().out
    assert f"Simulated machine of process {os.getpid()} and its children" in said
    assert f" -  {os.getpid():>7}" in said  # it uses the machine, and holds nothing


def test_a_name_that_nobody_uses(capsys):
    tf.devices.simulate_gpus(1, machine="lesson")
    assert main(["smi", "--machine", "leson"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "no program uses a simulated machine 'leson' now. In use: 'lesson'." in said.err


def test_nonsense_in_the_environment(monkeypatch, capsys):
    monkeypatch.setenv("TINYTF_SIMULATED_GPUS", "many")
    assert main(["smi"]) == 2
    assert "TINYTF_SIMULATED_GPUS=many" in capsys.readouterr().err


NVIDIA_SMI = """#!/bin/sh
case "$1" in
  --query-gpu=*) echo "00000000:1B:00.0, NVIDIA H100 80GB HBM3, 81559, 1024"
                 echo "00000000:43:00.0, NVIDIA H100 80GB HBM3, 81559, [N/A]" ;;
  *) echo "00000000:1B:00.0, 1234, /usr/bin/python3, 520"; echo "nonsense" ;;
esac
"""


def test_real_cards_are_shown_by_what_their_driver_says(tmp_path, monkeypatch):
    monkeypatch.undo()
    program = tmp_path / "nvidia-smi"
    program.write_text(NVIDIA_SMI)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (here,) = report._real()
    assert not here.simulated
    assert [gpu.memory_taken for gpu in here.gpus] == [1 << 30, 0]
    assert here.gpus[0].processes == (report.GpuProcess(1234, "python3", 520 << 20),)
    shown = repr(report.Report([here]))
    assert "| This computer" in shown
    assert "NVIDIA H100 80GB" in shown
    assert "0000:1B:00.0" in shown
    assert "1024 MiB / 81559 MiB" in shown
    assert "imulated" not in shown
    program.write_text("#!/bin/sh\nexit 9\n")
    assert report._real() == []


# ---------------------------------------------------------------------------------------- the magic


@pytest.fixture
def shell():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "tinytf")
    yield shell
    shell.run_line_magic("unload_ext", "tinytf")
    shell.history_manager.end_session()


def test_the_magic_shows_the_same(shell, capsys):
    tf.devices.simulate_gpus(2, "64MiB")
    found = shell.run_line_magic("smi", "")
    assert f"Simulated machine of process {os.getpid()}" in repr(found)
    assert shell.run_line_magic("smi", "--json") is None
    assert len(json.loads(capsys.readouterr().out)["machines"][0]["gpus"]) == 2


@pytest.mark.parametrize("line", ["--machine nobody", "--gpu", "now"])
def test_the_magic_refuses_nonsense(shell, line):
    from IPython.core.error import UsageError

    with pytest.raises(UsageError):
        shell.run_line_magic("smi", line)
