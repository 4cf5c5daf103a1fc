"""The simulated cluster to play with: what it simulates, draws and says."""

import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

import tinytf.jupyter
from tinytf.jupyter.scaling_widget import FIELDS, ScalingWidget


def svgs(html):
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]


def parts(tree, name):
    return [part for part in tree.iter() if part.get("class") == name]


def test_synchronous():
    shown = tinytf.jupyter.scaling(workers=50, backup=2)
    curve, waits, made, lanes = svgs(shown.content["html"])
    assert shown.training.cluster.running == 52
    assert len(parts(curve, "tinytf-dot")) == 11
    assert len(parts(curve, "tinytf-published")) == 4
    assert "Waiting at the barrier" in waits.get("aria-label")
    assert len([g for g in made.iter() if g.get("data-part")]) == 6
    kinds = {part.get("data-what") for part in parts(lanes, "tinytf-did")}
    assert kinds == {"fetch", "compute", "send", "wait", "apply"}
    text = shown.content["text"]
    assert text.startswith("50 workers and 2 backup workers train ")
    assert "images a second" in text


def test_asynchronous():
    shown = tinytf.jupyter.scaling(mode="asynchronous", backup=5, published=False)
    curve, ages, _, lanes = svgs(shown.content["html"])
    assert shown.training.cluster.backup == 0
    assert parts(curve, "tinytf-published") == []
    words = [text.text for text in ages.iter() if text.tag.endswith("text")]
    assert "N − 1 = 49" in words
    assert "wait" not in {part.get("data-what") for part in parts(lanes, "tinytf-did")}
    assert "A gradient misses" in shown.content["text"]


def test_what_the_browser_chooses_is_simulated_and_nonsense_is_not():
    shown = tinytf.jupyter.scaling(workers=4)
    before = shown.content["number"]
    shown.set_state({"settings": {**shown.settings, "workers": 2, "mode": 1}})
    assert shown.content["number"] == before + 1
    assert shown.training.cluster.workers == 3
    assert not shown.training.cluster.synchronous
    shown.set_state({"settings": {"workers": 10**9, "ps": -3}})
    assert shown.training.cluster.workers == 900
    assert shown.training.cluster.ps == 1


@pytest.mark.parametrize("mode", ["synchronous", "asynchronous"])
@pytest.mark.parametrize("end", [0, -1])
def test_the_ends_of_all_fields(mode, end):
    """The smallest and the largest of everything make drawings without nan."""
    chosen = {f.key: list(f.options)[end] for f in FIELDS if f.key != "mode"}
    shown = tinytf.jupyter.scaling(**chosen, mode=mode)
    assert len(svgs(shown.content["html"])) == 4
    assert not re.search(r"\b(nan|inf)\b", shown.content["html"])


def test_the_same_again_is_the_same():
    one, two = tinytf.jupyter.scaling(), tinytf.jupyter.scaling()
    assert repr(one) == repr(two)
    assert one.content == two.content
    assert repr(one).startswith("Simulated. 50 workers train 24.1 times as fast as one machine")
    assert "Speed-up by workers: 1: 0.89," in repr(one)


def test_a_page_without_widgets_has_the_drawings():
    bundle, _ = tinytf.jupyter.scaling()._repr_mimebundle_()
    assert "Simulated." in bundle["text/plain"]
    assert len(svgs(bundle["text/html"])) == 4
    assert "tinytf-instead" in bundle["text/html"]
    assert "--tinytf-compute" in bundle["text/html"]


def test_numbers_between_the_steps_of_a_slider_and_what_cannot_be_chosen():
    assert tinytf.jupyter.scaling(workers=51).training.cluster.workers == 50
    assert tinytf.jupyter.scaling(bandwidth=1.25e9).training.cluster.link.bandwidth == 1.25e9
    with pytest.raises(ValueError, match="worker cannot be chosen; there are workers, ps"):
        tinytf.jupyter.scaling(worker=3)
    with pytest.raises(ValueError, match="bits=8 cannot be chosen; there are 32 bits, 16 bits"):
        tinytf.jupyter.scaling(bits=8)
    with pytest.raises(ValueError, match="model='huge' cannot be chosen"):
        tinytf.jupyter.scaling(model="huge")


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_script_is_a_module(tmp_path):
    path = tmp_path / "scaling.mjs"
    path.write_text(ScalingWidget._esm, encoding="utf-8")
    subprocess.run(["node", "--check", path], check=True)


def test_one_worker_is_one():
    assert repr(tinytf.jupyter.scaling(workers=1)).startswith("Simulated. 1 worker trains ")
