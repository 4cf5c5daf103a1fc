"""SavedModels between tinytf and a real TensorFlow, both ways."""

import json
import subprocess
from pathlib import Path

import pytest

import tinytf as tf
from tests.interop.saved_models_model import save, use
from tests.oracle.environment import ROOT, tensorflow_environment
from tinytf.saved_model.loader import parse_saved_model

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(120)]

PROGRAM = Path(__file__).with_name("saved_models_program.py")


@pytest.fixture(scope="module")
def exchange(tmp_path_factory):
    """(the folder with both libraries' models, what TensorFlow computed with ours and its own)."""
    from tinytf.cli import machine

    folder = tmp_path_factory.mktemp("saved_models")
    (folder / "ours").mkdir()
    save(tf, str(folder / "ours"))
    done = subprocess.run(
        [str(machine.tensorflow_python()), str(PROGRAM), str(folder)],
        capture_output=True,
        text=True,
        timeout=110,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return folder, json.loads(done.stdout.splitlines()[-1])


def test_all_compute_the_same(exchange):
    folder, (tensorflow_with_ours, expected) = exchange
    assert expected["full ['serve'] None"] == {
        "numbers": [20.0, -10.0, 10.0],
        "sums": [[5.0], [6.0]],
    }
    assert tensorflow_with_ours == expected
    assert use(tf, str(folder / "ours")) == expected
    assert use(tf, str(folder / "theirs")) == expected


@pytest.mark.parametrize("name", ["full", "text", "simple"])
def test_both_write_the_same(exchange, name):
    ours, theirs = (exchange[0] / place / name for place in ("ours", "theirs"))
    files = [sorted(p.relative_to(at) for p in at.rglob("*")) for at in (ours, theirs)]
    assert files[0] == [path for path in files[1] if path.name != "fingerprint.pb"]
    graphs = [parse_saved_model(at).meta_graphs for at in (ours, theirs)]
    for mine, real in zip(*graphs, strict=True):
        assert [*mine.meta_info_def.tags] == [*real.meta_info_def.tags]
        assert mine.signature_def == real.signature_def
        assert mine.saver_def == real.saver_def
        assert sorted(mine.collection_def) == sorted(real.collection_def)
        for key in mine.collection_def:
            assert mine.collection_def[key] == real.collection_def[key], key
        assert mine.graph_def == real.graph_def
