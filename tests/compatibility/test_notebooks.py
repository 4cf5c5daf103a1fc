"""`tinytf run notebook.ipynb`, and the magics of an open notebook."""

import builtins
import json

import pytest

pytest.importorskip("IPython")
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from tests.compatibility.running import tinytf, write
from tinytf.cli import main
from tinytf.compatibility import hook, magics, notebooks

nbformat = pytest.importorskip("nbformat")

CELLS = [
    "%tensorflow_version 1.x\nimport tensorflow as tf",
    "print 'x'",
    "tf.Session().run(tf.constant(2) + 3)",
    "import os, subprocess, sys\n"
    "task = 'import tensorflow as tf; print(tf.VERSION)'\n"
    "print(subprocess.run([sys.executable, '-c', task], capture_output=True, text=True).stdout)\n"
    "os.path.basename(os.getcwd())",
    "1 / 0",
]


@pytest.mark.slow  # it starts a kernel; everything else of it is below
@pytest.mark.notebook
def test_an_executed_copy_is_written_beside_it(tmp_path):
    old = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in CELLS],
        metadata={"kernelspec": {"name": "python2", "display_name": "Python 2"}},
    )
    old.cells[-1].metadata["tags"] = ["raises-exception"]
    path = write(tmp_path, "lesson/old.ipynb", nbformat.writes(old))
    before = path.read_text()
    done = tinytf("run", "lesson/old.ipynb", cwd=tmp_path)
    assert done.stdout.startswith(
        "lesson/old.executed.ipynb: 5 cells of code, 1 failed.\n"
        "  cell 2  print 'x'\n      SyntaxError: Missing parentheses"
    ), done.stderr
    assert done.returncode == 1
    assert path.read_text() == before
    copy = nbformat.read(path.with_name("old.executed.ipynb"), as_version=4)
    assert [cell.execution_count for cell in copy.cells] == [1, 2, 3, 4, 5]
    assert "5" in copy.cells[2].outputs[0]["data"]["text/plain"]
    assert copy.cells[3].outputs[0]["text"] == "1.15.0\n\n"
    assert copy.cells[3].outputs[1]["data"]["text/plain"] == "'lesson'"
    assert sorted(one.name for one in path.parent.iterdir()) == ["old.executed.ipynb", "old.ipynb"]


def test_what_is_no_notebook(tmp_path, capsys):
    bad = write(tmp_path, "bad.ipynb", "{")
    assert main(["run", str(bad)]) == 1
    assert "is no notebook" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "none.ipynb")]) == 1
    assert "No such file" in capsys.readouterr().err
    assert main(["run", str(bad), "--steps", "3"]) == 1
    assert "takes no arguments" in capsys.readouterr().err


def test_a_kernel_that_dies_is_told_and_the_copy_is_kept(tmp_path, capsys, monkeypatch):
    def dies(content, folder, environment):
        content.cells[0].outputs = [nbformat.v4.new_output("stream", text="done")]
        raise RuntimeError("Kernel died")

    monkeypatch.setattr(notebooks, "_execute", dies)
    old = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x")])
    path = write(tmp_path, "old.ipynb", nbformat.writes(old))
    assert notebooks.run(str(path)) == 1
    assert "1 cells of code, stopped after cell 0: Kernel died." in capsys.readouterr().out
    copy = json.loads((tmp_path / "old.executed.ipynb").read_text())
    assert copy["cells"][0]["outputs"][0]["text"] in ("done", ["done"])


def test_without_jupyter(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "nbclient", None)
    assert main(["run", str(write(tmp_path, "old.ipynb", "{}"))]) == 1
    assert "pip install 'tinytf[course]'" in capsys.readouterr().err


@pytest.fixture
def shell(monkeypatch):
    monkeypatch.delenv(hook.VARIABLE, raising=False)
    shell = InteractiveShell.instance()
    magics.register(shell)
    yield shell
    magics.switch("off")
    shell.history_manager.end_session()
    InteractiveShell.clear_instance()


def run(shell, code):
    with capture_output() as shown:
        result = shell.run_cell(code)
    return result.success, shown.stdout


def test_the_magics(shell):
    python_s = builtins.__import__
    asking = "import tensorflow as tf; print(tf.VERSION)"
    assert not run(shell, asking)[0]
    assert run(shell, f"%%as_tensorflow\n{asking}") == (True, "1.15.0\n")
    assert builtins.__import__ is python_s
    assert run(shell, "%as_tensorflow") == (True, "")
    assert run(shell, "%as_tensorflow") == (True, "")
    assert run(shell, asking) == (True, "1.15.0\n")
    assert run(shell, "%as_tensorflow off") == (True, "")
    assert builtins.__import__ is python_s
    assert run(shell, "%tensorflow_version 1.x") == (True, "TensorFlow 1.x is tinytf here.\n")
    assert run(shell, asking) == (True, "1.15.0\n")
    ok, said = run(shell, "%tensorflow_version 2.x")
    assert not ok
    assert "tinytf is TensorFlow 1.x" in said
    assert "takes `on` (the default) or `off`" in run(shell, "%as_tensorflow maybe")[1]
