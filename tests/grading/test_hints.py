"""Hints one at a time, and when the worked solution may be read."""

import json
import re

import pytest

from tests.grading.learning import report, write_exercise
from tinytf import grading
from tinytf.grading import exercise, hints
from tinytf.grading.progress import note

pytestmark = pytest.mark.usefixtures("file")

SOLUTION = "def f():\n    return 8"
HINTS = ["What *waits* for what?", "Look at `b`:\n\n    b = 1", "Nearly: <tag> it"]


@pytest.fixture(autouse=True)
def course(tmp_path, monkeypatch):
    """ch03.ex1, with three hints, ch03.ex2, with none, and ch03.ex3, with one."""
    root = tmp_path / "course"
    for name, its_hints in (("ex1", HINTS), ("ex2", []), ("ex3", HINTS[:1])):
        folder = root / "ch03" / name
        write_exercise(folder, "Title", (2, 4))
        with (folder / "exercise.toml").open("a") as facts:
            facts.write(f"hints = {json.dumps(its_hints)}\n")
        (folder / "solution.py").write_text(SOLUTION + "\n")
    monkeypatch.setenv(exercise.ENVIRONMENT_VARIABLE, str(root))
    monkeypatch.setattr(hints, "_shown", {})
    return root


def test_each_call_shows_the_next_hint_and_those_before():
    assert repr(grading.hint("ch03.ex1")).splitlines() == [
        "ch03.ex1, hint 1 of 3",
        "1. What *waits* for what?",
        'Another one: grading.hint("ch03.ex1")',
    ]
    assert repr(grading.hint("ch03.ex1")).splitlines() == [
        "ch03.ex1, hint 2 of 3",
        "1. What *waits* for what?",
        "2. Look at `b`:",
        "",
        "       b = 1",
        'Another one: grading.hint("ch03.ex1")',
    ]
    third = repr(grading.hint("ch03.ex1"))
    assert "3. Nearly: <tag> it" in third
    assert third.endswith(
        'That was the last one. The worked solution: grading.solution("ch03.ex1")'
    )


def test_after_the_last_one_it_says_so_and_names_the_solution():
    for _ in range(3):
        grading.hint("ch03.ex1")
    for _ in range(2):
        text = repr(grading.hint("ch03.ex1"))
        assert text.startswith("ch03.ex1 has no more hints; there are 3.\n1. What")
        assert text.endswith('The worked solution: grading.solution("ch03.ex1")')


def test_a_hint_can_be_asked_for_by_its_number_and_the_next_is_the_one_after():
    assert "hint 2 of 3" in repr(grading.hint("ch03.ex1", 2))
    assert "hint 3 of 3" in repr(grading.hint("ch03.ex1"))
    assert "hint 1 of 3" in repr(grading.hint("ch03.ex1", 1))


@pytest.mark.parametrize("number", [0, 4, -1, True, "2", 1.0])
def test_a_number_that_there_is_not(number):
    with pytest.raises(ValueError, match=re.escape(f"no hint {number!r} to ch03.ex1")) as error:
        grading.hint("ch03.ex1", number)
    assert "hints 1 to 3" in str(error.value)
    assert "hint 1 of 3" in repr(grading.hint("ch03.ex1"))


def test_exercises_with_one_hint_and_with_none():
    assert "hint 1 of 1" in repr(grading.hint("ch03.ex3"))
    with pytest.raises(ValueError, match="it has one hint"):
        grading.hint("ch03.ex3", 2)
    assert repr(grading.hint("ch03.ex2")).startswith("ch03.ex2 has no hints.\nThe worked solution")
    with pytest.raises(ValueError, match="it has no hints"):
        grading.hint("ch03.ex2", 1)
    assert "hint" not in repr(grading.solution("ch03.ex2"))


def test_in_a_notebook_earlier_hints_are_folded_one_inside_of_the_other():
    for _ in range(3):
        shown = grading.hint("ch03.ex1")._repr_markdown_()
    new, rest = shown.split("<details>", 1)
    assert HINTS[2] in new
    assert rest.index("Hint 2") < rest.index(HINTS[1]) < rest.index("Hint 1") < rest.index(HINTS[0])
    assert rest.index("<details>") < rest.index("</details>")  # the second one inside
    assert shown.count("<details>") == shown.count("</details>") == 2
    for opening in re.findall(r"</summary>(.{2})", shown, flags=re.DOTALL):
        assert opening == "\n\n"  # what follows is markdown again


@pytest.mark.parametrize("ask", [grading.hint, grading.solution])
def test_an_unknown_exercise_suggests_those_there_are(ask):
    with pytest.raises(exercise.UnknownExerciseError, match=r"ch03\.ex1"):
        ask("ch03.ex11")


def test_the_solution_waits_for_all_points():
    refused = grading.solution("ch03.ex1")
    assert "best try: none yet" in repr(refused)
    assert 'grading.solution("ch03.ex1", give_up=True)' in repr(refused)
    assert 'grading.hint("ch03.ex1")' in repr(refused)
    note(report("ch03.ex1", (2, 2), (0, 4)))
    refused = grading.solution("ch03.ex1")
    assert "best try: 2 of 6" in refused._repr_markdown_()
    assert SOLUTION not in repr(refused) + refused._repr_markdown_()
    note(report("ch03.ex1", (2, 2), (4, 4)))
    for _ in range(2):
        shown = grading.solution("ch03.ex1")
        assert repr(shown) == f"ch03.ex1, a worked solution\n\n{SOLUTION}"
        assert f"```python\n{SOLUTION}\n```" in shown._repr_markdown_()


def test_who_gives_up_may_read_it_and_is_told_so():
    shown = repr(grading.solution("ch03.ex1", give_up=True))
    assert "given up" in shown
    assert SOLUTION in shown
    assert SOLUTION not in repr(grading.solution("ch03.ex1"))


def test_who_has_solved_it_has_not_given_up():
    note(report("ch03.ex1", (6, 6)))
    assert "given up" not in repr(grading.solution("ch03.ex1", give_up=True))


def test_a_copy_of_the_course_may_come_without_solutions(course):
    (course / "ch03" / "ex1" / "solution.py").unlink()
    assert "ask your teacher" in repr(grading.solution("ch03.ex1", give_up=True))
