"""What every chapter's test file says of its notebook: words, mistakes, exercises.

Such a file has `NAME`, the notebook's, and tables of its code cells: `SAID`, what they say;
`MISTAKES`, the error's class and the words of it that a learner would search for; `UNCOMPARED`,
whose outputs nbval does not compare, and why. (Predictions: test_predictions.py.)
"""

from importlib import import_module
from pathlib import Path

import pytest

from tests.notebooks.reading import ASKING, ROOT, cell, error, printed, programs, tags

pytestmark = pytest.mark.as_committed

CHAPTERS = [
    import_module(f"tests.notebooks.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("test_chapter_*.py"))
]
MISTAKES = [(chapter.NAME, name) for chapter in CHAPTERS for name in chapter.MISTAKES]
EXERCISES = [
    (chapter.NAME, folder.name)
    for chapter in CHAPTERS
    for folder in sorted((ROOT / "exercises" / f"ch{chapter.NAME[:2]}").glob("ex*"))
]


def named(chapters):
    return pytest.mark.parametrize("chapter", chapters, ids=lambda chapter: chapter.NAME[:2])


def test_there_are_chapters():
    assert len(CHAPTERS) >= 8
    assert len(EXERCISES) >= 12


@named([chapter for chapter in CHAPTERS if hasattr(chapter, "SAID")])
def test_cells_say_what_the_text_says(chapter):
    for name, words in chapter.SAID.items():
        assert words in printed(cell(chapter.NAME, name)), name


@pytest.mark.parametrize(("notebook", "name"), MISTAKES)
def test_a_mistake_has_tensorflows_class_and_words(notebook, name):
    chapter = next(one for one in CHAPTERS if one.NAME == notebook)
    kind, words = chapter.MISTAKES[name]
    shown_kind, message = error(cell(notebook, name))
    assert shown_kind == kind
    assert words in message


@named(CHAPTERS)
def test_every_mistake_of_a_chapter_is_looked_at(chapter):
    announced = [one["id"] for one in programs(chapter.NAME) if "raises-exception" in tags(one)]
    assert sorted(announced) == sorted(chapter.MISTAKES)


@named(
    [
        import_module("tests.notebooks.test_start_here"),
        *(chapter for chapter in CHAPTERS if chapter.NAME in ASKING),
    ]
)
def test_what_is_not_compared_is_known_and_why(chapter):
    ignored = [one["id"] for one in programs(chapter.NAME) if "nbval-ignore-output" in tags(one)]
    assert sorted(ignored) == sorted(chapter.UNCOMPARED)
    assert all(len(why) > 20 for why in chapter.UNCOMPARED.values())


@pytest.mark.parametrize(("notebook", "exercise"), EXERCISES)
def test_an_exercise_is_committed_with_its_stub_and_not_done(notebook, exercise):
    answer = cell(notebook, f"{exercise}-answer")
    assert "raise NotImplementedError" in answer["source"]
    assert "exercise" in tags(answer)
    reply = printed(cell(notebook, f"{exercise}-check"))
    assert reply.startswith(f"ch{notebook[:2]}.{exercise}: 0 of ")
    assert "[x]" not in reply
    folder = ROOT / "exercises" / f"ch{notebook[:2]}" / exercise
    assert len(list((folder / "bugs").glob("*.py"))) >= 5
