"""The predictions of every chapter: each question has its cell, and nothing gives its answer away.

What the cells give is in truths/, and asserted while nbval runs them (see conftest.py).
"""

import re
from collections import Counter

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import ASKING, printed, programs, tags
from tinytf.grading import question

pytestmark = pytest.mark.as_committed

named = pytest.mark.parametrize("name", ASKING, ids=lambda name: name[:2])


def truths(name):
    return reading.truths(f"ch{name[:2]}")


def asking(name):
    """The cells that ask, by the names of their questions."""
    cells = [cell for cell in programs(name) if cell["source"].startswith("%%predict ")]
    return {cell["source"].split()[1]: cell for cell in cells}


@named
def test_every_question_has_its_cell_and_its_truth(name):
    questions = list(question.of_chapter(f"ch{name[:2]}"))
    assert list(asking(name)) == questions  # in the chapter's order
    assert sorted(f"ch{name[:2]}.{one}" for one in truths(name)) == sorted(questions)
    assert all("predict" in tags(cell) for cell in asking(name).values())


@named
def test_the_truth_is_among_what_is_offered(name):
    for key, truth in truths(name).items():
        asked = question.find(f"ch{name[:2]}.{key}")
        happened = asked.reply_of(truth)
        if asked.options:
            assert set(happened) <= set(asked.options), key
        assert not set(asked.because) & set(happened), f"{key}: a reason against the truth"


@named
def test_what_is_right_does_not_always_stand_first(name):
    choices = [
        (question.find(f"ch{name[:2]}.{key}"), truth)
        for key, truth in truths(name).items()
        if question.find(f"ch{name[:2]}.{key}").kind == "choices"
    ]
    places = Counter(list(asked.options).index(str(truth)) for asked, truth in choices)
    if len(choices) > 3:
        assert max(places.values()) <= 0.6 * len(choices), places


@named
def test_what_is_stored_is_the_question_alone(name):
    for key, cell in asking(name).items():
        (output,) = cell["outputs"]
        asked = question.find(key)
        assert printed(cell).startswith(f"Predict: {asked.text.splitlines()[0]}"), key
        stored = "".join(output["data"]["text/html"])
        assert "tinytf-predict" in stored
        assert "checked" not in stored
        for kept_back in (asked.why, *asked.because.values()):
            assert _words(kept_back)[:60] not in _words(stored + printed(cell)), key


@named
def test_the_chapter_ends_with_what_to_look_at_again(name):
    (last,) = [cell for cell in programs(name) if cell["source"].startswith("%predictions ch")]
    assert "you have made none of them" in printed(last)


def _words(text):
    return " ".join(re.sub(r"<[^>]*>|[*`_]", "", text).split())
