"""The picture of asynchronous training: what it draws of a log, and of several."""

import re
from xml.etree import ElementTree

import pytest

import tinytf.jupyter
from tinytf.jupyter import staleness_picture
from tinytf.training.staleness import Gradient, StalenessLog

LOG = StalenessLog(
    [Gradient(0, 0, 0), Gradient(1, 0, 1), Gradient(0, 1, 2), Gradient(2, 0, 3, dropped=True)], 4
)
FRESH = StalenessLog([Gradient(0, n, n) for n in range(200)], 200)
NOTHING = StalenessLog([], 0)


def drawn(log, **more):
    """The drawings of a map: lanes and histogram by turns."""
    html = tinytf.jupyter.staleness_map(log, **more)._repr_html_()
    found = re.findall(r"<svg class.*?</svg>(?=</div>|<div)", html, re.DOTALL)
    return [ElementTree.fromstring(text) for text in found]


def parts(tree, name):
    return [part for part in tree.iter() if part.get("class") == name]


def words(tree):
    return [part.text for part in tree.iter() if part.tag.endswith("text")]


def test_bars_go_from_version_to_version():
    lanes, _ = drawn(LOG)
    bars = parts(lanes, "tinytf-gradient")
    assert [(bar.get("data-age"), bar.get("data-state")) for bar in bars] == [
        ("0", "done"),
        ("1", "done"),
        ("1", "done"),
        ("3", "dropped"),
    ]
    lengths = [float(bar[1].get("width").rstrip("%")) for bar in bars]
    assert lengths[0] < lengths[1] == lengths[2] < lengths[3]
    assert "✕" in words(lanes)  # not by colour alone
    assert [w for w in words(lanes) if w.startswith("worker")] == [f"worker {n}" for n in range(3)]
    assert "too old, and dropped" in bars[3][0].text


def test_the_histogram_has_the_mean_what_is_expected_and_what_was_dropped():
    _, ages = drawn(LOG)
    assert len(parts(ages, "tinytf-age")) == 2
    assert len(parts(ages, "tinytf-late")) == len(parts(ages, "tinytf-expected")) == 1
    assert len(parts(ages, "tinytf-mean")) == 1
    assert "1✕" in words(ages)
    assert ages.get("aria-label") == "1 gradient 0 updates old, 2 gradients 1 update old, 1 dropped"
    html = tinytf.jupyter.staleness_map(LOG)._repr_html_()
    assert "N − 1 = 2" in html
    assert "mean 0.67" in html


def test_a_long_training_shows_its_last_versions_or_those_asked_for():
    bars = parts(drawn(FRESH)[0], "tinytf-gradient")
    assert len(bars) == staleness_picture.SPAN
    assert "changed just this version" in bars[-1][0].text
    first = parts(drawn(FRESH, first=10)[0], "tinytf-gradient")
    assert first[0][0].text.startswith("Worker 0 read version 10")


def test_several_trainings_have_the_same_scales():
    html = tinytf.jupyter.staleness_map({"<none>": LOG, "alone": FRESH, "not yet": NOTHING})
    trees = drawn(html.logs)
    assert len(trees) == 4  # what has no gradients is only in the words
    assert words(trees[1])[-1] == words(trees[3])[-1] == "3"  # the oldest age
    assert "&lt;none&gt;" in html._repr_html_()
    assert repr(html).startswith("<none>: 3 gradients of 3 workers")
    assert "not yet: No gradient has come yet." in repr(html)


def test_many_ages_share_bars():
    log = StalenessLog([Gradient(n % 2, 0, n) for n in range(500)], 500)
    _, ages = drawn(log)
    assert len(parts(ages, "tinytf-age")) <= staleness_picture.MOST_BARS


def test_all_dropped_and_nothing_at_all():
    late = StalenessLog([Gradient(0, 0, 5, dropped=True)], 1)
    _, ages = drawn(late)
    assert parts(ages, "tinytf-mean") == []
    assert tinytf.jupyter.staleness_map(NOTHING)._repr_html_() == "<p>No gradient has come yet.</p>"


def test_a_page_that_strips_styles_has_the_words():
    html = tinytf.jupyter.staleness_map(LOG)._repr_html_()
    assert "3 gradients of 3 workers" in html.partition("<details>")[2]
    assert not re.search(r"\b(nan|inf)\b", html)


def test_mistakes_say_what_to_do():
    with pytest.raises(TypeError, match=r"StalenessOptimizer.log\(sess\).*got 3 for 'drop'"):
        tinytf.jupyter.staleness_map({"none": LOG, "drop": 3})
    with pytest.raises(ValueError, match="from 0 on, not -1"):
        tinytf.jupyter.staleness_map(LOG, first=-1)
