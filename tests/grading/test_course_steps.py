"""Steps of a course at the wrong moment, or for the wrong people; what its gradebook says."""

import subprocess
import threading

import nbformat
import pytest

from tinytf.grading import exercise
from tinytf.grading.course import settings
from tinytf.grading.course.course import Course, CourseError, _end
from tinytf.grading.report import Outcome, Report

pytestmark = pytest.mark.slow


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of ch01, as if it had been released."""
    monkeypatch.setenv(exercise.ENVIRONMENT_VARIABLE, str(exercise.root()))
    made = Course.create(tmp_path / 'autumn "26"', ["ch01"])
    made.released("ch01").parent.mkdir(parents=True)
    made.released("ch01").write_bytes((made.folder / "source/ch01/ch01.ipynb").read_bytes())
    return made


def with_points(course, names, points):
    """A gradebook in which Anna has been graded for exercises of these names."""
    with course._gradebook() as book:
        book.add_assignment("ch01")
        book.add_notebook("ch01", "ch01")
        for name in names:
            book.add_grade_cell(name, "ch01", "ch01", max_score=6, cell_type="code")
        book.add_student("anna")
        book.add_submission("ch01", "anna")
        for name in names:
            book.find_grade(name, "ch01", "ch01", "anna").auto_score = points
        book.db.commit()


def test_a_name_nobody_has_makes_no_learner(course):
    with pytest.raises(CourseError, match="bem has handed in nothing for ch01, only"):
        course.grade("ch01", ["bem"])
    assert course.students("ch01") == []


def test_nothing_is_collected_if_a_file_is_missing_or_nothing_was_released(course, tmp_path):
    there = tmp_path / "anna.ipynb"
    there.write_text("{}")
    with pytest.raises(FileNotFoundError):
        course.collect("ch01", [there, tmp_path / "ben.ipynb"])
    with pytest.raises(CourseError, match="Type:  tinytf grade release ch99"):
        course.collect("ch99", [there])
    assert list(course.folder.glob("submitted/*")) == []


def test_a_notebook_is_named_after_its_folder_also_from_within(course, tmp_path, monkeypatch):
    folder = tmp_path / "anna"
    folder.mkdir()
    (folder / "ch01.ipynb").write_text("{}")
    monkeypatch.chdir(folder)
    [relative] = [path.relative_to(folder) for path in folder.iterdir()]
    assert course.collect("ch01", [relative]) == ["anna"]


def test_feedback_needs_grades(course):
    with pytest.raises(CourseError, match="Type:  tinytf grade autograde ch01"):
        course.feedback("ch01")


@pytest.mark.filterwarnings("ignore")  # nbgrader's use of its database
def test_exercises_do_not_come_or_go_once_somebody_is_graded(course):
    with_points(course, ["ch01_ex1", "ch01_old"], 3.0)
    with pytest.raises(CourseError, match=r"ch01_ex2 is new.*ch01_old is gone"):
        course.release("ch01")
    assert course.released("ch01").exists()


@pytest.mark.filterwarnings("ignore")  # nbgrader's use of its database
@pytest.mark.parametrize("points", [None, 0.0, 3.0])
def test_what_nobody_has_given_points_for_is_not_zero(course, points):
    with_points(course, ["ch01_ex1"], points)
    [mark] = course.marks("ch01")
    assert mark.points == {"ch01_ex1": points}
    assert mark.score == (points or 0.0)


def test_the_settings_are_python_whatever_the_folder_is_called(course):
    assert settings.confine(course.folder) == "auto"
    path = course.folder / settings.FILE
    path.write_text(settings.render(course.folder.name, "always"), encoding="utf-8")
    assert settings.confine(course.folder) == "always"
    assert (course.folder / settings.EXCHANGE).is_dir()


def test_no_two_threads_read_answers(course, monkeypatch):
    """Python 3.11 fails now and then if two parse: under load a learner was left out.

    "SystemError: AST constructor recursion depth mismatch (before=30, after=26)".
    """
    from tinytf.grading.course import preprocessors  # takes nbgrader along: seconds

    readers, checkers = set(), set()

    def extract(sources, symbol):
        readers.add(threading.get_ident())
        return f"def {symbol}(): pass"

    def check_source(exercise, source, **how):
        checkers.add(threading.get_ident())
        return Report(exercise.name, [Outcome("a check", 0, 1)], source)

    monkeypatch.setattr(preprocessors, "extract", extract)
    monkeypatch.setattr(preprocessors, "check_source", check_source)
    monkeypatch.setattr(preprocessors.sandbox, "obstacle", lambda: None)
    notebook = nbformat.read(course.released("ch01"), as_version=4)
    graded, _ = preprocessors.CheckAnswers().preprocess(notebook, {})
    shown = [c.outputs[0].data["text/plain"] for c in graded.cells if c.get("outputs")]
    assert len(shown) == len(course.exercises("ch01")) > 1
    assert all(
        f"def {one.symbol}(): pass" in text
        for one, text in zip(course.exercises("ch01"), shown, strict=True)
    )
    assert readers == {threading.get_ident()}
    assert readers.isdisjoint(checkers)


def test_the_end_of_what_nbgrader_said_has_its_traceback():
    said = ["before", "Traceback (most recent call last):", "  SystemError: odd"]
    said += [f"learner {number} is done" for number in range(200)]
    done = subprocess.CompletedProcess([], 1, "\n".join(said), "\nThere was an error.")
    lines = _end(done).splitlines()
    assert lines[:2] == said[1:3]
    assert lines[-1] == "There was an error."
    assert len(lines) < 80


def test_whom_nbgrader_could_not_do_is_tried_once_more_and_it_is_told(course, monkeypatch):
    def first_fails(*arguments, environment):
        if "--student" not in arguments:
            raise CourseError("Traceback: a hiccup")

    monkeypatch.setattr(course, "_nbgrader", first_fails)
    again = course._autograde("ch01", ["anna"], "--all", {})
    assert again == {"anna": "Traceback: a hiccup"}


def test_what_fails_twice_is_an_error(course, monkeypatch):
    def fails(*arguments, environment):
        raise CourseError(f"Traceback of {arguments[-1]}")

    monkeypatch.setattr(course, "_nbgrader", fails)
    with pytest.raises(CourseError, match="Traceback of anna"):
        course._autograde("ch01", ["anna"], "--all", {})
