"""`tinytf run program.py`: as if Python had been started with it, but for `import tensorflow`."""

import os
import sys

import pytest

from tests.compatibility.running import python, tinytf, write
from tests.oracle.environment import ROOT
from tinytf.cli import main
from tinytf.compatibility import STARTUP, hook
from tinytf.datasets import files

PROGRAM = """
import os
import subprocess
import sys
from multiprocessing import get_context

import helper
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tensorflow.contrib.framework as framework
from tensorflow.compat import v1
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import ops

def square(number):
    import tensorflow as tf
    return int(tf.Session().run(tf.square(number)))

if __name__ == "__main__":
    print(sys.argv[1:], os.path.basename(__file__), tf.__version__, tf1 is tf, v1 is tf)
    print(helper.tf is tf, framework is tf.contrib.framework, graph_pb2.GraphDef is tf.GraphDef)
    print(ops.get_default_graph() is tf.get_default_graph(), np.infty, np.float is float)
    print("tensorflow" in sys.modules, [entry for entry in sys.path if "startup" in entry])
    task = "import tensorflow as tf; print('task', tf.VERSION)"
    print(subprocess.run([sys.executable, "-c", task], capture_output=True, text=True).stdout)
    with get_context("spawn").Pool(1) as pool:
        print(pool.map(square, [3, 4]))
    try:
        import installed
    except ImportError as error:
        print(error)
    tf.app.run(main=lambda arguments: 7, argv=sys.argv[:1])
"""
PRINTED = """\
['--steps', '3'] program.py 1.15.0 True True
True True True
True inf True
False []
task 1.15.0

[9, 16]
No module named 'tensorflow'
"""


def test_a_program_with_tasks_and_modules_of_its_own(tmp_path):
    write(tmp_path, "program.py", PROGRAM)
    write(tmp_path, "helper.py", "import importlib\ntf = importlib.import_module('tensorflow')\n")
    # What is installed gets a real TensorFlow, or none.
    write(tmp_path, "site-packages/installed.py", "import tensorflow\n")
    path = f"{tmp_path / 'site-packages'}:{ROOT}"
    done = tinytf("run", "program.py", "--steps", "3", cwd=tmp_path, PYTHONPATH=path)
    assert done.stdout == PRINTED, done.stderr
    assert done.returncode == 7
    assert done.stderr.count("tinytf: numpy") == 1  # one notice
    assert "has no np.infty (program.py:23)" in done.stderr


def test_what_a_program_that_fails_shows(tmp_path):
    program = "import tensorflow as tf\nfrom tensorflow.contrib import gan\n"
    done = python(write(tmp_path, "program.py", program))
    assert done.returncode == 1
    assert "line 2, in <module>\n    from tensorflow.contrib import gan" in done.stderr
    assert "tf.contrib.gan is not part of tinytf" in done.stderr
    assert "importing.py" not in done.stderr  # the hook's own lines


def test_a_start_imports_nothing_else_and_runs_what_is_installed(tmp_path):
    write(tmp_path, "installed/sitecustomize.py", "import sys\nsys.customised = True\n")
    program = write(
        tmp_path,
        "program.py",
        "import sys\nprint(sys.customised, {'tinytf', 'numpy'} & {*sys.modules})\n",
    )
    done = python(program, PYTHONPATH=str(tmp_path / "installed"))
    assert (done.stdout, done.stderr) == ("True set()\n", "")


@pytest.fixture
def started(monkeypatch):
    """What would be run in place of this process: commands and environments."""
    monkeypatch.delenv(hook.VARIABLE, raising=False)
    monkeypatch.delenv(files.VARIABLE, raising=False)
    found = []

    def execve(path, command, environment):
        found.append((command, environment))
        raise SystemExit(0)  # as nothing comes back

    monkeypatch.setattr(os, "execve", execve)
    return found


def run(*arguments):
    with pytest.raises(SystemExit):
        main(["run", *map(str, arguments)])


def test_how_programs_are_started(tmp_path, started, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/mine")
    program = write(tmp_path, "program.py", "x = 1\n")
    run(program, "--steps", "3", "-m", "--digits")
    command, environment = started.pop()
    assert command == [sys.executable, str(program), "--steps", "3", "-m", "--digits"]
    assert environment["PYTHONPATH"] == f"{STARTUP}:/mine"
    assert environment[hook.VARIABLE] == "on"
    assert files.VARIABLE not in environment
    run("--digits", "-m", "trainer.task", "--job-dir", "out")
    command, environment = started.pop()
    assert command == [sys.executable, "-m", "trainer.task", "--job-dir", "out"]
    assert environment[files.VARIABLE] == "digits"


def test_a_real_tensorflow_is_wanted(tmp_path, started, monkeypatch, capsys):
    monkeypatch.setenv(hook.VARIABLE, "off")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    run(write(tmp_path, "program.py", "import tensorflow\n"))
    environment = started.pop()[1]
    assert environment[hook.VARIABLE] == "off"
    assert "PYTHONPATH" not in environment
    assert "TINYTF_AS_TENSORFLOW is off" in capsys.readouterr().err


def test_what_python_cannot_read(tmp_path, started, capsys):
    old = write(tmp_path, "old.py", "x = 3\nprint 'x is', x\n")
    assert main(["run", str(old)]) == 1
    said = capsys.readouterr().err
    assert f"{old}, line 2: " in said
    assert "line 2: print is a function now" in said
    assert main(["run", str(tmp_path / "none.py")]) == 1
    assert "No such file" in capsys.readouterr().err
    old.write_bytes(b"x = '\xff'\n")
    assert main(["run", str(old)]) == 1
    assert "encoding" in capsys.readouterr().err
    assert started == []
