"""In a real kernel: what `import tinytf` attaches, `%load_ext tinytf`, and the names of cells."""

import pytest

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(120)]


class Cells:
    """A kernel, and the outputs of cells run in it."""

    def __init__(self, client):
        self._client = client
        self._count = 0

    def run(self, source):
        import nbformat

        cell = nbformat.v4.new_code_cell(source)
        self._client.nb.cells.append(cell)
        self._client.execute_cell(cell, self._count)
        self._count += 1
        return cell.outputs

    def text(self, source):
        """Everything that the cell printed or showed as text."""
        parts = [
            o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in self.run(source)
        ]
        return "".join(parts)


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    import nbformat
    from nbclient import NotebookClient

    client = NotebookClient(
        nbformat.v4.new_notebook(),
        timeout=60,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(tmp_path_factory.mktemp("kernel"))}},
    )
    with client.setup_kernel():
        yield Cells(client)


def test_a_kernel_from_import_to_error(cells):
    # One kernel and one story: a second kernel would cost as much as all of this.
    imported = cells.text(
        "import sys\nimport tinytf as tf\n"
        "[name for name in ('ipywidgets', 'anywidget', 'matplotlib') if name in sys.modules]"
    )
    assert imported == "[]"  # the reprs cost no widget package

    shown = cells.run("a = tf.constant(3.0, name='a')\n\nb = tf.add(a, 4.0, name='b')\nb")
    data = shown[0]["data"]
    assert data["text/plain"] == "<tf.Tensor 'b:0' shape=() dtype=float32>"
    assert "In[2], line 3" in data["text/html"]
    assert "b = tf.add(a, 4.0, name=" in data["text/html"]
    graph = cells.run("tf.get_default_graph()")[0]["data"]
    assert graph["text/plain"] == "<tf.Graph with 3 operations>"
    assert 'data-node="b"' in graph["text/html"]

    failed = cells.run("tf.Session().run(tf.add(tf.placeholder(tf.float32, name='p'), 1.0))")
    message = failed[-1]["evalue"]
    assert "'p'" in message or "p (Placeholder)" in message
    assert "In[4], line 1" in message
    assert "site-packages" not in message

    assert cells.text("%load_ext tinytf") == ""
    assert "already loaded" in cells.text("%load_ext tinytf")

    widget = cells.run(
        "import tinytf.jupyter\nsess = tf.InteractiveSession()\ntinytf.jupyter.watch(b)"
    )
    data = widget[0]["data"]
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"].startswith("Dependency counters of 3 operations, 5 events.")
    assert 'data-node="b"' in data["text/html"]

    unloaded = cells.run("%unload_ext tinytf\nb")
    assert set(unloaded[0]["data"]) == {"text/plain"}


def test_outside_of_a_notebook_nothing_is_attached(tmp_path):
    import subprocess
    import sys

    program = (
        "import sys, IPython, tinytf as tf\n"
        "assert not hasattr(tf.Tensor, '_repr_html_')\n"
        "assert 'tinytf.jupyter.counters' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    program = "import sys, tinytf as tf\nassert 'tinytf.jupyter' not in sys.modules\n"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_flags_in_a_notebook(cells):
    """The command line is the kernel's, and a cell may run again (TensorFlow: fails)."""
    define = "tf.app.flags.DEFINE_integer('steps', 3, 'how many')\nFLAGS = tf.app.flags.FLAGS"
    assert cells.text(f"{define}\nsys.argv[1][:2], FLAGS.steps") == "('-f', 3)"
    assert cells.text(f"{define}\nFLAGS.steps") == "3"
    assert cells.text("tf.app.flags.arguments() == sys.argv[:1]") == "True"
    given = "sys.argv = ['program', '--steps=5', 'rest']\ntf.app.flags.FLAGS(sys.argv), FLAGS.steps"
    assert cells.text(given) == "(['program', 'rest'], 5)"
    assert cells.text("tf.app.flags.arguments()") == "['program', '--steps=5', 'rest']"
    assert cells.text(f"{define}\nFLAGS.steps") == "5"
    shown = cells.run("del sys.argv[1:]\ntf.app.run(main=lambda argv: print('main', len(argv)))")
    assert [output.get("text") or output["ename"] for output in shown][:2] == [
        "main 1\n",
        "SystemExit",
    ]
