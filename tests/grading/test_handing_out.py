"""What learners get beside the notebook, and that `grading.check` finds it there."""

import pytest

from tests.grading.learning import write_exercise
from tinytf import grading
from tinytf.grading import exercise
from tinytf.grading.course.handing_out import hand_out

STUB = 'def f():\n    raise NotImplementedError("write this function")\n'


@pytest.fixture
def added(tmp_path, monkeypatch):
    """ch20.ex1, an exercise that tinytf does not have, in a teacher's folder; and handed out."""
    folder = tmp_path / "teacher" / "ch20" / "ex1"
    write_exercise(folder, "Of a teacher", (2,))
    for name in ("stub.py", "solution.py", "hidden.py"):
        (folder / name).write_text(STUB)
    (folder / "text.md").write_text("Write `f`.")
    (folder / "data.csv").write_text("1,2\n")
    (folder / "bugs").mkdir()
    (folder / "bugs" / "wrong.py").write_text(STUB)
    monkeypatch.setenv(exercise.ENVIRONMENT_VARIABLE, str(tmp_path / "teacher"))
    hand_out([exercise.find("ch20.ex1")], tmp_path / "ch20")
    monkeypatch.delenv(exercise.ENVIRONMENT_VARIABLE)
    return tmp_path / "ch20"


def test_solutions_hidden_checks_and_bugs_stay_with_the_teacher(added):
    found = sorted(p.relative_to(added).as_posix() for p in added.rglob("*") if p.is_file())
    names = ["checks.py", "data.csv", "exercise.toml", "stub.py", "text.md"]
    assert found == [f"exercises/ch20/ex1/{name}" for name in names]


def test_an_exercise_that_was_taken_out_is_not_handed_out_again(added):
    hand_out([], added)
    assert list(added.iterdir()) == []


def test_an_exercise_beside_the_notebook_is_checked(added, monkeypatch):
    with pytest.raises(exercise.UnknownExerciseError):
        grading.check("ch20.ex1", lambda: 8)
    monkeypatch.chdir(added)

    def f():
        return 8

    assert grading.check("ch20.ex1", f).score == 2
    assert {"ch20.ex1", "ch01.ex1"} <= set(exercise.names())  # those of tinytf are there as well


def test_what_is_beside_the_notebook_goes_before_what_tinytf_has(tmp_path, monkeypatch):
    write_exercise(tmp_path / "exercises" / "ch01" / "ex1", "As changed by a teacher", (2,))
    monkeypatch.chdir(tmp_path)
    assert exercise.find("ch01.ex1").title == "As changed by a teacher"
    assert exercise.names().count("ch01.ex1") == 1


def test_a_folder_of_other_things_that_is_called_exercises_is_in_nobodys_way(tmp_path, monkeypatch):
    known = exercise.names()
    (tmp_path / "exercises" / "squats").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert exercise.names() == known
    with pytest.raises(exercise.UnknownExerciseError, match=r"no exercise 'ch77\.ex1'"):
        exercise.find("ch77.ex1")
