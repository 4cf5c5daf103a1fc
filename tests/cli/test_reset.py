"""`tinytf reset` and `tinytf progress`: a chapter from the beginning, and how far one is."""

import json
import os
import re
import subprocess
from datetime import date
from fnmatch import fnmatch

import pytest

import conftest
from tinytf.cli import main, reset
from tinytf.cli.machine import course_root
from tinytf.grading import exercise
from tinytf.grading.progress import note, progress
from tinytf.grading.report import Outcome, Report

NAMES = ["00_start_here.ipynb", "03_parallel_execution.ipynb", "04_clusters.ipynb"]
THIRD = NAMES[1]


@pytest.fixture(autouse=True)
def points(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTF_PROGRESS", str(tmp_path / "progress.json"))
    for name in ("ch03.ex1", "ch03.ex2", "ch04.ex1"):
        note(Report(name, [Outcome("it holds", 2, 3, "no")]))


@pytest.fixture
def git(monkeypatch):
    """A function that runs git without the settings of this computer."""
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    monkeypatch.setenv("HOME", os.devnull)

    def run(*arguments, cwd):
        who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        done = subprocess.run(["git", *who, *arguments], cwd=cwd, capture_output=True, check=True)
        return done.stdout.decode()

    return run


@pytest.fixture
def course(tmp_path, git):
    """A clone, in a folder with a space in its name; the notebooks are as committed."""
    root = tmp_path / "my course"
    (root / "notebooks").mkdir(parents=True)
    for name in NAMES:
        (root / "notebooks" / name).write_text(f"{name}, as committed\n", newline="")
    git("init", "--quiet", cwd=root)
    git("add", ".", cwd=root)
    git("commit", "--quiet", "--message=The course", cwd=root)
    return root


def there(course):
    return {path.name: path.read_text() for path in (course / "notebooks").iterdir()}


def mine(number=1, stem="03_parallel_execution"):
    return f"{stem}.mine-{date.today()}-{number}.ipynb"


SPELLINGS = ["3", "03", "ch03", "ch3", "03_parallel_execution", THIRD, f"notebooks/{THIRD}"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_chapter_is_as_it_was_committed_and_what_was_there_is_kept(course, capsys, spelling):
    notebook = course / "notebooks" / THIRD
    notebook.write_text("my answers")
    before = there(course)
    assert reset.run(spelling, root=course) == 0
    assert there(course) == {**before, THIRD: f"{THIRD}, as committed\n", mine(): "my answers"}
    said = capsys.readouterr().out
    assert f"{THIRD} is as it was committed again. What you had is {mine()}" in said
    assert "Reload Notebook from Disk" in said
    assert progress_of("ch03.ex1") == 2


def progress_of(name):
    """The points of the last try that are remembered."""
    path = os.environ["TINYTF_PROGRESS"]
    with open(path, encoding="utf-8") as file:
        return json.load(file)["exercises"].get(name, {"best": {"3": None}})["best"]["3"]


def test_nothing_changed_nothing_done(course, capsys):
    before = there(course)
    stamps = [path.stat().st_mtime_ns for path in (course / "notebooks").iterdir()]
    assert reset.run("3", root=course) == 0
    assert capsys.readouterr().out == f"{THIRD} is as it was committed: nothing to do.\n"
    assert there(course) == before
    assert stamps == [path.stat().st_mtime_ns for path in (course / "notebooks").iterdir()]


def test_no_version_of_the_learners_is_ever_overwritten(course):
    for number in (1, 2, 3):
        (course / "notebooks" / THIRD).write_text(f"my answers, {number}")
        assert reset.run("3", root=course) == 0
        assert there(course)[mine(number)] == f"my answers, {number}"
    assert there(course)[mine(1)] == "my answers, 1"


def test_a_saved_one_is_no_chapter(course, capsys):
    (course / "notebooks" / THIRD).write_text("my answers")
    assert reset.run("3", root=course) == 0
    assert reset.run(mine(), root=course) == 2
    assert reset.run("all", root=course) == 0
    assert there(course)[mine()] == "my answers"
    assert "mine-" not in capsys.readouterr().out.replace(f"What you had is {mine()}", "")


def test_a_saved_one_is_neither_committed_nor_tested():
    saved = f"notebooks/{mine()}"
    ignored = (course_root() / ".gitignore").read_text().splitlines()
    tested = conftest.collect_ignore_glob
    for patterns in (ignored, tested):
        assert [one for one in patterns if fnmatch(saved, one)]
        assert not [one for one in patterns if fnmatch(f"notebooks/{THIRD}", one)]


def test_one_that_is_missing_comes_back(course, capsys):
    (course / "notebooks" / THIRD).unlink()
    assert reset.run("ch03", root=course) == 0
    assert sorted(there(course)) == NAMES
    assert "It was missing." in capsys.readouterr().out


def test_all_chapters(course, capsys):
    for name in NAMES[1:]:
        (course / "notebooks" / name).write_text("mine")
    assert reset.run("all", root=course) == 0
    found = there(course)
    assert all(found[name] == f"{name}, as committed\n" for name in NAMES)
    assert found[mine()] == found[mine(stem="04_clusters")] == "mine"
    assert f"{NAMES[0]} is as it was committed: nothing to do." in capsys.readouterr().out


def test_line_ends_are_those_git_writes_here(course, git):
    git("config", "core.autocrlf", "true", cwd=course)
    notebook = course / "notebooks" / THIRD
    notebook.write_text("my answers")
    assert reset.run("3", root=course) == 0
    assert notebook.read_bytes() == f"{THIRD}, as committed\r\n".encode()
    assert git("diff", "--stat", cwd=course) == ""


def test_the_repository_that_a_hook_works_on_is_not_asked(course, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    (course / "notebooks" / THIRD).write_text("my answers")
    assert reset.run("3", root=course) == 0
    assert there(course)[mine()] == "my answers"


def test_progress_is_forgotten_when_asked(course, capsys):
    assert reset.run("3", progress=True, root=course) == 0
    said = capsys.readouterr().out
    assert "nothing to do" in said
    assert "The points of ch03's exercises are forgotten: ch03.ex1, ch03.ex2." in said
    assert (progress_of("ch03.ex1"), progress_of("ch04.ex1")) == (None, 2)
    assert reset.run("all", progress=True, root=course) == 0
    assert "all exercises are forgotten: ch04.ex1." in capsys.readouterr().out
    assert reset.run("4", progress=True, root=course) == 0
    assert "(there were none)" in capsys.readouterr().out


def test_points_that_cannot_be_forgotten(course, monkeypatch, tmp_path, capsys):
    (tmp_path / "progress.json").write_text('{"format": 9, "exercises": {}}')
    assert reset.run("3", progress=True, root=course) == 1
    assert "the points are not forgotten: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("clusters", r"no chapter 'clusters'\. Perhaps: 04_clusters$"),
        ("04_cluster", r"Perhaps: 04_clusters"),
        ("Paralel", r"Perhaps: 03_parallel_execution"),
        ("9", r"Perhaps: 00_start_here, 03_parallel_execution, 04_clusters, all$"),
        ("", r"Perhaps: 00_start_here, 03_parallel_execution, 04_clusters, all$"),
        ("ch03.ex1", r"a chapter is put back as a whole: tinytf reset ch03$"),
        ("../../etc/passwd", r"no chapter '\.\./\.\./etc/passwd'"),
    ],
)
def test_an_unknown_chapter_suggests_those_there_are(course, capsys, wanted, said):
    before = there(course)
    assert reset.run(wanted, root=course) == 2
    assert re.search(said, capsys.readouterr().err.strip())
    assert there(course) == before


def test_without_git_it_says_how_to_get_it(course, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    (course / "notebooks" / THIRD).write_text("my answers")
    assert reset.run("3", root=course) == 1
    assert "sudo apt-get install git" in capsys.readouterr().err
    assert there(course)[THIRD] == "my answers"


def test_outside_of_a_clone_it_says_what_to_do(tmp_path, monkeypatch, capsys, git):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / THIRD).write_text("my answers")
    assert reset.run("3", root=tmp_path) == 1
    said = capsys.readouterr().err
    assert "Clone the course anew and copy your own notebooks" in said
    assert str(tmp_path / "notebooks") in said
    # Unpacked inside of somebody's own repository: that one does not know the notebooks.
    git("init", "--quiet", cwd=tmp_path)
    (tmp_path / "diary").write_text("mine")
    git("add", "diary", cwd=tmp_path)
    git("commit", "--quiet", "--message=Mine", cwd=tmp_path)
    assert reset.run("3", root=tmp_path) == 1
    assert "not committed in any" in capsys.readouterr().err


def test_a_repository_without_a_commit_says_what_git_says(tmp_path, capsys, git):
    (tmp_path / "notebooks").mkdir()
    git("init", "--quiet", cwd=tmp_path)
    assert reset.run("3", root=tmp_path) == 1
    assert "git says: fatal: " in capsys.readouterr().err


def test_an_installed_package_has_no_notebooks(tmp_path, capsys):
    assert reset.run("3", root=tmp_path) == 1
    assert "comes with the repository" in capsys.readouterr().err


def test_where_nothing_can_be_saved_the_notebook_stays(course, monkeypatch, capsys):
    (course / "notebooks" / THIRD).write_text("my answers")
    (course / "notebooks" / NAMES[2]).write_text("mine too")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    before = there(course)
    assert reset.run("all", root=course) == 1
    said = capsys.readouterr().err
    assert said.count("No space left on device") == 2
    assert f"{THIRD} stays" in said
    assert there(course) == before  # no half of a notebook either


def test_a_folder_in_place_of_a_notebook(course, capsys):
    (course / "notebooks" / THIRD).unlink()
    (course / "notebooks" / THIRD).mkdir()
    assert reset.run("3", root=course) == 1
    assert "Is a directory" in capsys.readouterr().err


# ------------------------------------------------------------------------------- the command line


def test_the_command_needs_a_chapter(capsys):
    with pytest.raises(SystemExit):
        main(["reset"])
    assert "chapter" in capsys.readouterr().err


def test_the_command_finds_the_course_it_belongs_to(course, monkeypatch, capsys):
    monkeypatch.setattr(reset, "course_root", lambda: course)
    (course / "notebooks" / THIRD).write_text("my answers")
    assert main(["reset", "ch03", "--progress"]) == 0
    assert there(course)[mine()] == "my answers"
    assert "forgotten: ch03.ex1, ch03.ex2" in capsys.readouterr().out


def test_progress_prints_the_table(capsys):
    assert main(["progress"]) == 0
    assert capsys.readouterr().out == f"{progress()!r}\n"


def test_progress_for_programs(capsys):
    found = exercise.find("ch03.ex1")
    note(Report(found.name, [Outcome("all", 6, 6)]))
    assert main(["progress", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    (one,) = (row for row in content["exercises"] if row["exercise"] == "ch03.ex1")
    assert one["title"] == found.title
    assert one["tries"] == 2
    assert content["worth"] == progress().worth
