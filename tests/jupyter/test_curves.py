"""Curves of event files: what is read, what is drawn, what is said."""

import re
from xml.etree import ElementTree

import pytest

import tinytf as tf
from tinytf.jupyter import curves


def write(folder, points):
    """Events with {tag: [(step, value) ...]}."""
    with tf.summary.FileWriter(folder) as writer:
        for tag, values in points.items():
            for step, value in values:
                writer.add_summary(
                    tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)]), step
                )


def drawings(shown):
    """The charts by tag, as XML."""
    found = re.findall(r"<svg.*?</svg>", shown._repr_html_())
    trees = [ElementTree.fromstring(text) for text in found]
    return {tree.get("data-tag"): tree for tree in trees}


def lines(chart):
    return [part for part in chart.iter() if part.get("class") == "tinytf-values"]


def test_tags_and_runs(tmp_path):
    write(tmp_path / "one", {"loss": [(0, 2.0), (10, 1.0)], "w": [(0, 5.0)]})
    write(tmp_path / "two", {"loss": [(0, 4.0), (20, 3.0)]})
    shown = curves(tmp_path)
    assert [(c.tag, c.run, c.points) for c in shown.curves] == [
        ("loss", "one", ((0, 2.0), (10, 1.0))),
        ("loss", "two", ((0, 4.0), (20, 3.0))),
        ("w", "one", ((0, 5.0),)),
    ]
    charts = drawings(shown)
    assert list(charts) == ["loss", "w"]
    assert charts["loss"].get("aria-label") == "loss: from 1 to 4, steps 0 to 20"
    dashes = [line.get("stroke-dasharray") for line in lines(charts["loss"])]
    assert len(set(dashes)) == 2
    words = "".join(charts["loss"].itertext())
    assert "one" in words
    assert "two" in words


def test_only_some_tags(tmp_path):
    write(tmp_path, {"loss": [(0, 2.0)], "w": [(0, 5.0)], "loss_1": [(0, 1.0)]})
    assert [curve.tag for curve in curves(tmp_path, tags=["loss"]).curves] == ["loss"]
    assert curves(tmp_path, tags=[]).curves == []


def test_the_words_say_the_same(tmp_path):
    write(tmp_path, {"loss": [(0, 2.5), (3, 0.125)]})
    assert repr(curves(tmp_path)).splitlines()[1] == (
        "loss (.): 2 points, from 2.5 at step 0 to 0.125 at step 3"
    )


def test_a_value_that_is_not_finite_leaves_a_gap(tmp_path):
    write(tmp_path, {"w": [(0, 1.0), (1, 2.0), (2, float("nan")), (3, float("inf")), (4, 1.5)]})
    chart = drawings(curves(tmp_path))["w"]
    [line] = lines(chart)
    assert line.get("d").count("M") == 2
    assert "nan" not in line.get("d")
    assert chart.get("aria-label") == "w: from 1 to 2, steps 0 to 4"


@pytest.mark.parametrize("values", [[(0, 1.0)], [(5, 1.0), (6, 1.0)], [(0, float("nan"))]])
def test_a_point_and_a_flat_line_are_drawn(tmp_path, values):
    write(tmp_path, {"w": values})
    assert list(drawings(curves(tmp_path))) == ["w"]


def test_steps_come_in_order_and_once(tmp_path):
    write(tmp_path, {"w": [(2, 1.0), (1, 2.0), (2, 3.0)]})
    assert curves(tmp_path).curves[0].points == ((1, 2.0), (2, 3.0))


def test_a_folder_without_curves_says_so(tmp_path):
    for folder in (tmp_path, tmp_path / "nothing"):
        shown = curves(folder)
        assert repr(shown).startswith("No curves in ")
        assert "<svg" not in shown._repr_html_()


def test_names_cannot_become_html(tmp_path):
    write(tmp_path, {"<b>&": [(0, 1.0)]})
    html = curves(tmp_path)._repr_html_()
    assert "<b>" not in html
    assert list(drawings(curves(tmp_path))) == ["<b>&"]


def test_a_damaged_file_is_an_error(tmp_path):
    (tmp_path / "events.out.tfevents.1.host").write_bytes(b"garbage garbage garbage")
    with pytest.raises(tf.errors.DataLossError):
        curves(tmp_path)
