"""A course of nbgrader's: released, handed in, graded, fed back, exported.

Every solution and stub goes through nbgrader here, and one planted bug of every exercise: all of
them go through the check in test_check.py, and nbgrader asks the same. nbgrader starts anew where a
class is graded, and its answers do; tests/test_instructors.py has all of its commands as they are.
"""

import csv
import json
import re
import shutil
import subprocess

import nbformat
import pytest

from tests.grading import forking
from tests.grading.forking_nbgrader import nbgrader_forking
from tinytf.grading import cells, exercise, trying
from tinytf.grading.course import course as steps
from tinytf.grading.course import settings, submissions
from tinytf.grading.course.course import Course, CourseError

pytestmark = [pytest.mark.slow, pytest.mark.sandbox, pytest.mark.timeout(420)]
NAMES = exercise.names()
CHAPTERS = sorted({name.partition(".")[0] for name in NAMES})


@pytest.fixture(scope="module", autouse=True)
def _no_command_imports_nbgrader_anew():
    with nbgrader_forking() as commands, pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "subprocess", commands)
        yield


def hand_in(course, chapter, student, answers, change=lambda notebook: None):
    """Put a notebook into `submitted/`: the release with these answers, by exercise."""
    notebook = nbformat.read(course.released(chapter), as_version=4)
    for cell in notebook.cells:
        name = submissions.grade_id(cell).removesuffix("_answer")
        if submissions.grade_id(cell).endswith("_answer") and name in answers:
            cell.source = answers[name]
    change(notebook)
    path = course.folder / "submitted" / student / chapter / f"{chapter}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(nbformat.writes(notebook))
    return path


def replies(course, chapter, student):
    """The text of each check's reply, by exercise."""
    path = course.folder / "autograded" / student / chapter / f"{chapter}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    return {
        submissions.grade_id(cell): cell.outputs[0].data["text/plain"]
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade")
    }


def lost(reply):
    return re.findall(r"^  \[ \] (.+)$", reply, re.MULTILINE)


def bug_of(number, one):
    """By turns one that the instant check finds, and one that only a hidden check finds."""
    wanted = number % 2 == 1
    return next(p for p in one.bugs if trying.expected_loss(p.read_text())[0] == wanted)


def holds_no_solution_and_no_hidden_check(course, chapter):
    """Whether a release shows what it may, and no more."""
    text = course.released(chapter).read_text()
    assert "BEGIN SOLUTION" in (course.folder / "source" / chapter / f"{chapter}.ipynb").read_text()
    for secret in ("SOLUTION", "HIDDEN", "hidden.py", "hidden_checks", "hidden check"):
        assert secret not in text
    exercises = course.exercises(chapter)
    shown = "\n".join(part for one in exercises for part in (cells.task(one), one.stub))
    for one in exercises:
        titles = re.findall(r'@point\(\s*"([^"]+)"', one.hidden)
        assert titles
        assert all(title not in text for title in titles)
        assert one.title[1:] in text
        work = {line.strip() for line in one.solution.splitlines() if len(line.strip()) > 30}
        assert (own := [line for line in work if line not in shown])
        assert [line for line in own if json.dumps(line)[1:-1] in text] == [], one.name
    return True


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_solutions_stubs_and_bugs_have_the_marks_they_should(chapter, tmp_path):
    course = Course.create(tmp_path / "course", [chapter])
    course.release(chapter)
    assert holds_no_solution_and_no_hidden_check(course, chapter)
    # Of some hundred answers none starts Python anew; those of the class below all do.
    with (course.folder / settings.FILE).open("a") as file:
        file.write(forking.SETTINGS)
    ones = {one.name.replace(".", "_"): one for one in course.exercises(chapter)}
    hand_in(course, chapter, "solution", {name: one.solution for name, one in ones.items()})
    hand_in(course, chapter, "stub", {})
    bugs = {name: bug_of(number, one) for number, (name, one) in enumerate(ones.items())}
    hand_in(course, chapter, "bugs", {name: path.read_text() for name, path in bugs.items()})

    marks = {mark.student: mark for mark in course.grade(chapter, confine="always")}

    assert set(marks) == {"solution", "stub", "bugs"}
    assert marks["solution"].score == marks["solution"].most > 0
    assert marks["stub"].score == 0
    remarks = [remark for mark in marks.values() for remark in mark.remarks]
    assert remarks == []
    said = replies(course, chapter, "bugs")
    for name, path in bugs.items():
        _, title = trying.expected_loss(path.read_text())
        assert title in lost(said[name]), f"{name} {path.stem}:\n{said[name]}"
        full = marks["solution"].points[name]
        assert marks["bugs"].points[name] < full, f"{name} {path.stem}"
        assert "Traceback" not in said[name]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Of one exercise: each answer is to start in a sandbox of its own."""
    course = Course.create(tmp_path_factory.mktemp("class"), ["ch01"])
    for one in course.exercises("ch01")[1:]:
        shutil.rmtree(one.folder)
    course.release("ch01")
    return course


def doubled(notebook):
    again = nbformat.v4.new_code_cell(notebook.cells[-1].source)
    again.metadata = notebook.cells[-1].metadata
    notebook.cells.append(again)


def without_checks(notebook):
    notebook.cells = [
        cell for cell in notebook.cells if not cell.metadata.get("nbgrader", {}).get("grade")
    ]


def experiments(notebook):
    notebook.cells.insert(0, nbformat.v4.new_code_cell("while True:\n    pass"))
    notebook.cells.insert(0, nbformat.v4.new_code_cell("import os; os._exit(1)"))
    notebook.cells.append(nbformat.v4.new_code_cell("%%bash\nrm -rf ~"))
    notebook.cells.append(nbformat.v4.new_code_cell("import sys; print('x', file=sys.stderr)"))


ATTACK = """
import glob, os, sqlite3
for path in [{book!r}, *glob.glob('/tmp/**/gradebook.db', recursive=True)]:
    try:
        base = sqlite3.connect(f'file:{{path}}?mode=rw', uri=True)
        base.execute('UPDATE grade SET manual_score = 300')
        base.commit()
    except Exception as error:
        print(error)
print('found', os.path.exists({course!r}))
"""


@pytest.fixture(scope="module")
def everybody(course):
    """A class of twelve, graded: whoever hands in what."""
    right = course.exercises("ch01")[0].solution
    attack = ATTACK.format(book=str(course.folder / "gradebook.db"), course=str(course.folder))
    class_ = {
        "anna": (right,),
        "ben": ("def build_graph():\n    import signal; signal.pause()\n",),  # for ever, and idle
        "cleo": ("def build_graph():\n    import os; os._exit(0)\n",),
        "dora": ("def build_graph(:\n    pass",),
        "emil": ("",),
        "fay": (right, doubled),
        "gus": (right, without_checks),
        "hana": (right, experiments),
        "ivo": (right + attack,),
    }
    for student, (answer, *change) in class_.items():
        hand_in(course, "ch01", student, {"ch01_ex1": answer}, *change)
    hand_in(course, "ch01", "jan", {}).write_text("{ not json")
    (course.folder / "submitted" / "kai" / "ch01").mkdir(parents=True)
    path = hand_in(course, "ch01", "lea", {"ch01_ex1": right})
    path.rename(path.with_name("ch01 (1).ipynb"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "subprocess", subprocess)  # as a teacher's command starts
        return {mark.student: mark for mark in course.grade("ch01", confine="always")}


def test_everybody_has_a_mark_and_nobody_changes_anothers(everybody):
    full = everybody["anna"].points["ch01_ex1"]
    assert full > 0
    assert {student: mark.points["ch01_ex1"] for student, mark in everybody.items()} == {
        "anna": full,
        "ben": 0,
        "cleo": 0,
        "dora": 0,
        "emil": 0,
        "fay": full,
        "gus": full,
        "hana": full,
        "ivo": full,
        "jan": 0,
        "kai": 0,
        "lea": full,
    }


def test_everybody_has_a_reason(course, everybody):
    remarks = {student: "\n".join(mark.remarks) for student, mark in everybody.items()}
    assert "was there more than once; the first one counts." in remarks["fay"]
    assert "The cell ch01_ex1 was missing; it was put back." in remarks["gus"]
    assert "is not a notebook" in remarks["jan"]
    assert "was not handed in" in remarks["kai"]
    said = {student: replies(course, "ch01", student)["ch01_ex1"] for student in everybody}
    assert "did not finish within 20 seconds. It was at line 2" in said["ben"]
    assert "ended the process" in said["cleo"]
    assert "SyntaxError" in said["dora"]
    assert "Define a function called build_graph first" in said["emil"]
    assert "is not a notebook" in said["jan"]
    graded = (course.folder / "autograded/ivo/ch01/ch01.ipynb").read_text()
    assert "found True" not in graded


def test_everybody_has_a_page_and_a_line_in_the_table(course, everybody):
    folder = course.feedback("ch01")
    for student in everybody:
        page = (folder / student / "ch01" / "ch01.html").read_text()
        assert "points" in page
        for one in course.exercises("ch01"):
            assert one.hidden.splitlines()[-1].strip() not in page
    with open(course.export(), newline="") as file:
        rows = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert rows == {student: mark.score for student, mark in everybody.items()}


def test_one_learner_is_graded_again_and_the_others_stay(course):
    hand_in(course, "ch01", "mia", {})
    (mark,) = course.grade("ch01", ["mia"], "always")
    assert (mark.student, mark.score) == ("mia", 0)
    path = course.folder / "submitted/mia/ch01/ch01.ipynb"
    path.unlink()
    path.parent.rmdir()
    hand_in(course, "ch01", "mia", {"ch01_ex1": course.exercises("ch01")[0].solution})
    (mark,) = course.grade("ch01", ["mia"], "always")
    assert mark.score > 0


def test_a_check_that_belongs_to_no_exercise_gives_nothing_and_says_so(course):
    """An assignment made by hand: without an output, nbgrader would give full marks."""
    facts = {
        "grade": True,
        "solution": False,
        "locked": True,
        "task": False,
        "points": 5,
        "grade_id": "mine",
        "schema_version": 3,
    }
    cell = nbformat.v4.new_code_cell("assert True", metadata={"nbgrader": facts})
    source = course.folder / "source/ps1/ps1.ipynb"
    source.parent.mkdir()
    source.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=[cell])))
    course._nbgrader("generate_assignment", "ps1", "--create")
    hand_in(course, "ps1", "nora", {})
    (mark,) = course.grade("ps1")
    assert mark.points == {"mine": 0}
    text = (course.folder / "autograded/nora/ps1/ps1.ipynb").read_text()
    assert "belongs to no exercise of this course" in text


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (lambda c: c.grade("ch02"), "Nothing was released yet. Type:  tinytf grade release ch02"),
        (lambda c: c.release("ch77"), "There is no assignment 'ch77'"),
        (lambda c: Course(c.folder / "submitted"), "is no course"),
        (lambda c: Course.create(c.folder, ["ch99"]), "There are no exercises of ch99"),
    ],
)
def test_a_step_that_cannot_be_done_says_what_to_type(course, step, said):
    with pytest.raises(CourseError, match=re.escape(said)):
        step(course)
