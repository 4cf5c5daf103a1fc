"""Chapter 10: what the cuts give, that the way is said to be simulated, the figures' numbers."""

from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import ROOT, printed

pytestmark = pytest.mark.as_committed

NAME = "10_model_parallelism.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "vertical-same": "the same, to five digits: True",
    "vertical-virtual": "Simulated: 8.8 ms. Computing: worker:0 81%, worker:1 84% of the time.",
    "wave-more": "8 layers, 100 steps: 7.5 times as fast",
    "colocate-code": "colocated: True: 2 tensors, 25,600 bytes",
}


#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {
    "table": "how fast this machine trains; in race, that the accuracy is what it should be",
    "pace": "how fast this machine trains",
}

MISTAKES = {}

WAYS = ("by_layers", "vertical", "partial", "recurrent")


def test_every_way_learns_and_a_cut_changes_nothing():
    said = printed(cell("race"))
    assert [line for line in said.splitlines() if not line.startswith(" ")] == [*WAYS]
    assert said.count("more than 80% are right: True") == len(WAYS)
    assert said.count("as many on one worker:   True") == len(WAYS)


def test_the_table_has_a_line_for_every_way():
    head, *lines = printed(cell("table")).splitlines()
    assert head.split()[0] == "way"
    assert [line.split()[0] for line in lines] == [*WAYS]
    assert all(line.count("/s") == 2 and "%" in line for line in lines)


def test_gradients_that_are_not_colocated_take_the_weights_along():
    together, apart = printed(cell("colocate-code")).splitlines()
    many, size = together.split(": ")[2].split(" tensors, ")
    more, larger = apart.split(": ")[2].split(" tensors, ")
    assert int(more) > int(many)
    assert int(larger.split()[0].replace(",", "")) > 2 * int(size.split()[0].replace(",", ""))


def test_nothing_before_the_predictions_gives_the_cuts_away():
    """The figure at the top shows what is where; what crosses is asked for."""
    drawn = (ROOT / "images" / "10_cuts.svg").read_text(encoding="utf-8")
    assert drawn.count(">what crosses?<") == len(WAYS)
    assert 'class="way accent"' not in drawn
    asked = [one["id"] for one in reading.programs(NAME)]
    shown = [n for n, one in enumerate(reading.cells(NAME)) if "10_wave.svg" in one["source"]]
    at = [n for n, one in enumerate(reading.cells(NAME)) if one["id"] == "predict-wave"]
    assert asked
    assert at < shown


def test_the_figure_of_the_wave_shows_as_many_units_as_it_takes():
    drawn = (ROOT / "images" / "10_wave.svg").read_text(encoding="utf-8")
    assert drawn.count(">row ") == 16
    units = reading.truths("ch10")["wave"]
    assert drawn.count(">waits<") == drawn.count(">done<") == 1
    assert 16 + 2 == 2 * units
