"""What is remembered of a learner's tries, and what keeps it from being remembered."""

import json
import os
import stat
import subprocess
import sys

import pytest

from tests.grading.learning import report, write_exercise
from tinytf import grading
from tinytf.grading import exercise, progress_file
from tinytf.grading.progress import forget, has_passed, note
from tinytf.grading.report import Outcome, Report

pytestmark = pytest.mark.usefixtures("file")


def content(file):
    return json.loads(file.read_text())["exercises"]


def row(name="ch03.ex1"):
    return next(row for row in grading.progress().rows if row.exercise == name)


def test_the_best_try_counts_and_every_try_is_counted(two_exercises, file):
    for reached in (0, 4, 0):
        note(report("ch03.ex1", (2, 2), (reached, 4)))
    assert (row().points, row().worth, row().tries, row().passed) == (6, 6, 3, True)
    note(report("ch03.ex2", (0, 3)))
    assert (row("ch03.ex2").points, row("ch03.ex2").tries) == (0, 1)
    assert content(file) == {
        "ch03.ex1": {"tries": 3, "best": {"6": 6}},
        "ch03.ex2": {"tries": 1, "best": {"3": 0}},
    }


def test_an_answer_that_was_not_begun_is_no_try(file):
    not_begun = [Outcome("one", 0, 2, "Not done yet."), Outcome("two", 0, 1, "Not done yet.")]
    note(Report("ch03.ex1", not_begun))
    note(Report("ch03.ex1", problem="Define a function called f first."))
    assert not file.exists()


def test_hidden_checks_do_not_count(two_exercises):
    hidden = Outcome("also elsewhere", 0, 5, "no", hidden=True)
    note(Report("ch03.ex2", [Outcome("it holds", 3, 3), hidden]))
    assert (row("ch03.ex2").points, row("ch03.ex2").passed) == (3, True)


def build_graph():
    return 1, 2, 3


def not_begun():
    raise NotImplementedError("write this function")


def test_a_check_is_a_try_and_one_of_the_stub_is_none(file):
    assert grading.check("ch01.ex1", not_begun).outcomes
    assert not file.exists()
    reply = grading.check("ch01.ex1", build_graph)
    assert content(file) == {"ch01.ex1": {"tries": 1, "best": {str(reply.worth): reply.score}}}


def test_off_remembers_nothing_but_this_kernel_knows(two_exercises, file, monkeypatch):
    monkeypatch.setenv("TINYTF_PROGRESS", "OFF")
    note(report("ch03.ex2", (3, 3)))
    assert not file.parent.exists()
    assert has_passed("ch03.ex2")
    assert not has_passed("ch03.ex1")
    assert "TINYTF_PROGRESS is off" in repr(grading.progress())


def test_the_file_is_the_users_own_and_below_their_folder_for_such_things(tmp_path, monkeypatch):
    monkeypatch.delenv("TINYTF_PROGRESS")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    note(report("ch03.ex1", (3, 6)))
    path = tmp_path / "xdg" / "tinytf" / "progress.json"
    assert content(path)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert progress_file.path() == tmp_path / ".local" / "state" / "tinytf" / "progress.json"
    monkeypatch.setenv("TINYTF_PROGRESS", "~/mine.json")
    assert progress_file.path() == tmp_path / "mine.json"


WRITER = """
import sys
from tinytf.grading.progress import note
from tinytf.grading.report import Outcome, Report

print("ready", flush=True)
sys.stdin.readline()
for number in range(25):
    note(Report(sys.argv[1], [Outcome("it holds", number % 7, 6, "no")]))
    note(Report("ch09.ex9", [Outcome("it holds", 0, 1, "no")]))
"""


def test_two_notebooks_do_not_lose_each_others_points(file):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, name], **pipes)
        for name in ("ch03.ex1", "ch03.ex2")
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:  # both are ready: now
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate()[0] for writer in writers] == ["", ""]  # nothing was complained of
    assert {name: one["tries"] for name, one in content(file).items()} == {
        "ch03.ex1": 25,
        "ch03.ex2": 25,
        "ch09.ex9": 50,
    }


DAMAGED = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe\x00",
    b'{"format": 1}',
    b'{"format": "1", "exercises": {}}',
    b'{"format": 1, "exercises": {"ch03.ex1": 6}}',
    b'{"format": 1, "exercises": {"ch03.ex1": {"tries": -1, "best": {}}}}',
    b'{"format": 1, "exercises": {"ch03.ex1": {"tries": 1, "best": {"six": 4}}}}',
    b'{"format": 1, "exercises": {"ch03.ex1": {"tries": true, "best": {}}}}',
    b"[" * 200_000,
]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_file_is_set_aside_and_counting_goes_on(file, text, capsys):
    file.parent.mkdir()
    file.write_bytes(text)
    note(report("ch03.ex1", (2, 2), (0, 4)))
    assert file.with_name("progress.damaged-1.json").read_bytes() == text
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert "was damaged" in said
    assert "progress.damaged-1.json" in said
    assert content(file)["ch03.ex1"]["tries"] == 1


def test_who_looks_is_told_of_the_damage_too_and_no_damaged_file_is_lost(two_exercises, file):
    file.parent.mkdir()
    for number in (1, 2, 3):
        file.write_text(f"damage {number}")
        assert f"progress.damaged-{number}.json" in repr(grading.progress())
    kept = sorted(path.read_text() for path in file.parent.glob("progress.damaged-*"))
    assert kept == ["damage 1", "damage 2", "damage 3"]
    assert "damaged" not in repr(grading.progress())


def test_the_file_of_a_newer_tinytf_is_left_alone(two_exercises, file, capsys):
    file.parent.mkdir()
    newer = '{"format": 3, "exercises": {}, "streaks": [7]}'
    file.write_text(newer)
    note(report("ch03.ex1", (6, 6)))
    assert "is of a newer tinytf" in capsys.readouterr().out
    assert "is of a newer tinytf" in repr(grading.progress())
    assert file.read_text() == newer


@pytest.mark.parametrize("place", ["a file is in the way", "a folder", "a device"])
def test_where_nothing_can_be_written_that_is_said_once(tmp_path, monkeypatch, capsys, place):
    (tmp_path / "occupied").write_text("mine")
    (tmp_path / "folder").mkdir()
    path = {
        "a file is in the way": tmp_path / "occupied" / "progress.json",
        "a folder": tmp_path / "folder",
        "a device": "/dev/null",
    }[place]
    monkeypatch.setenv("TINYTF_PROGRESS", str(path))
    for _ in range(3):
        note(report("ch03.ex1", (1, 6)))
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert said.startswith(f"Your points are not remembered: {path} ")
    assert "Set TINYTF_PROGRESS to" in said
    assert (tmp_path / "occupied").read_text() == "mine"
    assert not os.path.exists("/dev/null.lock")
    assert grading.progress().points == 0


def test_a_folder_that_may_only_be_read_is_said_once_and_its_points_are_shown(
    two_exercises, file, monkeypatch, capsys
):
    note(report("ch03.ex1", (2, 2), (0, 4)))
    real = os.open

    def read_only(path, flags, *mode, **more):
        if flags & (os.O_RDWR | os.O_WRONLY) and str(path).startswith(str(file.parent)):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, *mode, **more)

    monkeypatch.setattr(os, "open", read_only)  # root may write everywhere
    for _ in range(2):
        note(report("ch03.ex1", (6, 6)))
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert "cannot be written (Permission denied)" in said
    assert row().points == 2
    assert has_passed("ch03.ex1")  # this kernel knows


def test_who_keeps_the_file_locked_is_not_waited_for_for_ever(file, monkeypatch, capsys):
    monkeypatch.setattr(progress_file, "_LOCK_SECONDS", 0.0)
    with progress_file._locked(file):
        note(report("ch03.ex1", (1, 6)))
    assert "Another process has kept" in capsys.readouterr().out
    note(report("ch03.ex1", (1, 6)))
    assert content(file)["ch03.ex1"]["tries"] == 1


def test_whatever_happens_a_check_has_its_reply(monkeypatch, capsys):
    def broken():
        raise ZeroDivisionError("surprise")

    monkeypatch.setattr(progress_file, "path", broken)
    note(report("ch03.ex1", (1, 6)))
    assert "not remembered: ZeroDivisionError: surprise" in capsys.readouterr().out


def test_an_exercise_that_has_changed_asks_for_another_try(two_exercises, file):
    note(report("ch03.ex1", (2, 2), (4, 4)))
    write_exercise(two_exercises / "ch03" / "ex1", "Another", (2, 4, 2))
    assert (row().points, row().worth, row().passed, row().before) == (0, 8, False, (6, 6))
    line = "ch03.ex1 has changed since you reached 6 of 6 points: check it again."
    assert line in repr(grading.progress())
    assert line in grading.progress()._repr_html_()
    assert not has_passed("ch03.ex1") or grading.progress().rows[0].passed is False
    note(report("ch03.ex1", (5, 8)))
    assert (row().points, row().before) == (5, None)
    write_exercise(two_exercises / "ch03" / "ex1", "Back again", (2, 4))
    assert (row().points, row().passed, row().tries) == (6, True, 2)


def test_an_exercise_that_is_gone_keeps_its_points(two_exercises):
    note(report("ch07.ex9", (2, 4)))
    shown = grading.progress()
    assert shown.points == 0
    assert "ch07.ex9 is not in this course; you reached 2 of 4 points." in repr(shown)


def test_an_exercise_that_does_not_load_hides_no_other(two_exercises):
    (two_exercises / "ch03" / "ex1" / "checks.py").write_text("def (\n")
    note(report("ch03.ex2", (3, 3)))
    shown = repr(grading.progress())
    assert "0 of ?" in shown
    assert "ch03.ex1 does not load: SyntaxError" in shown
    assert "3 of 3" in shown


def test_without_exercises_it_says_where_they_were_looked_for(tmp_path, monkeypatch):
    monkeypatch.setenv(exercise.ENVIRONMENT_VARIABLE, str(tmp_path / "nowhere"))
    assert f"There are no exercises in {tmp_path / 'nowhere'}." in repr(grading.progress())


def test_the_table(two_exercises):
    note(report("ch03.ex1", (2, 2), (0, 4)))
    note(report("ch03.ex2", (3, 3)))
    assert repr(grading.progress()).splitlines() == [
        "chapter  exercise          points  tries  passed",
        "3        ex1 Title of ex1  2 of 6  1",
        "         ex2 Title of ex2  3 of 3  1      yes",
        "total    2 exercises       5 of 9  2      1",
    ]
    write_exercise(two_exercises / "ch03" / "ex1", "a < b", (6,))
    shown = grading.progress()._repr_html_()
    assert "ex1 a &lt; b" in shown
    assert shown.count("<tr>") == 4
    assert "<tfoot" in shown


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ("point('it holds', worth)", "line 2 of checks.py: the points must be a number"),
        ("point('it holds', points=0.5)", "line 2 of checks.py: the points must be a number"),
        ("other('it holds', 3)", "no function in checks.py is marked with @point"),
    ],
)
def test_points_that_cannot_be_read_in_the_source(two_exercises, marks, said):
    source = f"worth = 3\n@{marks}\ndef it_holds(answer):\n    pass\n"
    (two_exercises / "ch03" / "ex1" / "checks.py").write_text(source)
    assert f"ch03.ex1 does not load: ValueError: {said}" in repr(grading.progress())


LOADED = """
import contextlib, io
from tinytf.grading import exercise
from tinytf.grading.runner import load_checks

for name in exercise.names():
    with contextlib.redirect_stdout(io.StringIO()):
        checks = load_checks(exercise.find(name).checks)
    print(name, sum(check.points for check in checks))
"""


def test_the_points_of_the_real_exercises_are_those_their_checks_give():
    shown = grading.progress()
    assert shown.points == 0
    assert shown.remarks == []
    read = [f"{row.exercise} {row.worth}" for row in shown.rows]
    loaded = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=False
    )
    assert loaded.returncode == 0, loaded.stderr
    assert read == loaded.stdout.splitlines()


def test_points_can_be_forgotten_by_chapter(two_exercises, file):
    for name in ("ch03.ex1", "ch03.ex2", "ch04.ex1"):
        note(report(name, (1, 1)))
    assert forget("ch03") == ["ch03.ex1", "ch03.ex2"]
    assert list(content(file)) == ["ch04.ex1"]
    assert forget("ch03") == []
    assert forget() == ["ch04.ex1"]
    assert not has_passed("ch03.ex1")
