"""The pace of the chapters: noted, compared, kept."""

import sys

import pytest

from tinytf.jupyter.pace import pace


@pytest.fixture(autouse=True)
def nothing_yet(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTF_PROGRESS", str(tmp_path / "progress.json"))

    monkeypatch.setattr(sys.modules[pace.__module__], "_here", {})


def test_chapters_stand_one_under_the_other():
    pace("ch03", "two threads", images=3000, seconds=0.5)
    shown = pace("ch01", "one session", images=1000, seconds=1.0)
    assert shown.per_second == 1000
    title, first, second = repr(shown).splitlines()
    assert title == "images a second"
    assert first.split() == ["1", "████", "1,000", "one", "session"]
    assert second.split() == ["3", "█" * 24, "6,000", "two", "threads"]
    assert shown._repr_html_().index("one session") < shown._repr_html_().index("two threads")


def test_a_kernel_that_begins_anew_knows_the_chapters_before(monkeypatch):

    pace("ch01", "one session", images=1000, seconds=1.0)
    monkeypatch.setattr(sys.modules[pace.__module__], "_here", {})
    assert list(pace("ch02", "a GPU", images=10, seconds=1.0).rows) == ["ch01", "ch02"]


def test_without_a_memory_the_kernel_remembers(monkeypatch):
    monkeypatch.setenv("TINYTF_PROGRESS", "off")
    pace("ch01", "one session", images=1000, seconds=1.0)
    assert list(pace("ch02", "<GPU>", images=10, seconds=1.0).rows) == ["ch01", "ch02"]


@pytest.mark.parametrize(("images", "seconds"), [(0, 1.0), (1, 0.0), (-1, 1.0)])
def test_no_pace_without_images_and_time(images, seconds):
    with pytest.raises(ValueError, match="give no pace"):
        pace("ch01", "one session", images, seconds)
