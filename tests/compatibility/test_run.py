"""`tinytf run program.py`: as if Python had been started with it, but for `import tensorflow`."""

import sys

from tests.compatibility.running import tinytf, write
from tests.oracle.environment import ROOT

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
    packages = tmp_path / "site-packages"
    write(packages, "installed.py", "import tensorflow\n")
    write(packages, "sitecustomize.py", "import sys\nsys.customised = True\n")
    write(tmp_path, "argument.py", "import sys\nassert sys.customised\n")
    done = tinytf("run", "program.py", "--steps", "3", cwd=tmp_path, PYTHONPATH=path_with(packages))
    assert done.stdout == PRINTED, done.stderr
    assert done.returncode == 7
    assert done.stderr.count("tinytf: numpy") == 1  # one notice
    assert "has no np.infty (program.py:23)" in done.stderr
    done = tinytf("run", "argument.py", cwd=tmp_path, PYTHONPATH=path_with(packages))
    assert (done.returncode, done.stderr) == (0, "")  # the other sitecustomize ran as well


def path_with(folder):
    return f"{folder}:{ROOT}"


def test_what_a_program_that_fails_shows(tmp_path):
    write(tmp_path, "program.py", "import tensorflow as tf\nfrom tensorflow.contrib import gan\n")
    done = tinytf("run", "program.py", cwd=tmp_path)
    assert done.returncode == 1
    assert "line 2, in <module>\n    from tensorflow.contrib import gan" in done.stderr
    assert "tf.contrib.gan is not part of tinytf" in done.stderr
    assert "importing.py" not in done.stderr  # the hook's own lines


def test_a_module(tmp_path):
    write(tmp_path, "trainer/__init__.py", "")
    write(tmp_path, "trainer/task.py", "import sys, tensorflow\nprint(__name__, sys.argv[1:])\n")
    done = tinytf("run", "-m", "trainer.task", "--job-dir", "out", cwd=tmp_path)
    assert done.stdout == "__main__ ['--job-dir', 'out']\n"


def test_a_real_tensorflow_is_wanted(tmp_path):
    write(tmp_path, "program.py", "import tensorflow\nprint(tensorflow.__version__)\n")
    real = tmp_path / "site-packages"
    write(real, "tensorflow.py", "__version__ = 'the real one'\n")
    done = tinytf(
        "run", "program.py", cwd=tmp_path, TINYTF_AS_TENSORFLOW="off", PYTHONPATH=path_with(real)
    )
    assert done.stdout == "the real one\n"
    assert "TINYTF_AS_TENSORFLOW is off" in done.stderr
    # It is there, and tinytf was asked for.
    done = tinytf("run", "program.py", cwd=tmp_path, PYTHONPATH=path_with(real))
    assert done.stdout == "1.15.0\n"


def test_what_python_cannot_read(tmp_path, capsys):
    from tinytf.cli import main

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


def test_nothing_is_imported_before_it_is_asked_for(tmp_path):
    write(tmp_path, "program.py", "import sys\nprint([m for m in sys.modules if 'tinytf' in m])\n")
    done = tinytf("run", "program.py", cwd=tmp_path)
    assert "numpy" not in done.stdout
    assert "'tinytf'" not in done.stdout
    assert sys.executable not in done.stderr
