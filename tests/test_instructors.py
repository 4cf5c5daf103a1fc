"""docs/instructors.md, typed in from top to bottom: its commands, its files, what it shows."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
#: A block: the file that it is, if the line before says so; its language; its text.
BLOCK = re.compile(r"(?:^`(exercises/\S+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS = BLOCK.findall(PAGE)


def typed(commands, folder, environment):
    """What the commands print, and the folder one is in after them."""
    here = folder.parent / "here"
    done = subprocess.run(
        ["bash", "-euc", f'{commands}\npwd > "{here}"'],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{commands}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout, Path(here.read_text().strip())


def as_shown(shown, printed):
    """Whether the page shows what was printed; "..." stands for anything."""
    pattern = ".*".join(map(re.escape, shown.strip().split("...")))
    return re.search(pattern, printed, re.DOTALL) is not None


def predict(inbox, environment):
    """What three learners send: Anna knew, Ben and Eva thought of something else."""
    inbox.mkdir(parents=True)
    note = (
        "import os, sys; from tinytf.grading.progress import note_prediction\n"
        "for one in sys.argv[1:]:\n"
        "    os.environ['TINYTF_PROGRESS'], _, reply = one.partition('=')\n"
        "    note_prediction('ch06.twice', (reply,), right=reply == '1')"
    )
    replies = {"anna": "1", "ben": "3", "eva": "3"}
    files = [f"{inbox / name}.json={reply}" for name, reply in replies.items()]
    subprocess.run([sys.executable, "-c", note, *files], env=environment, check=True)


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(900)
def test_the_page_can_be_followed(tmp_path):
    pytest.importorskip("nbgrader")
    folder = tmp_path / "teacher"
    folder.mkdir()
    scripts = Path(sys.executable).parent  # what `. .venv/bin/activate` puts in front
    environment = {**os.environ, "PATH": os.pathsep.join([str(scripts), os.environ["PATH"]])}
    environment.pop("TINYTF_EXERCISES", None)
    predict(folder / "autumn" / "predictions", environment)
    printed, here = "", folder
    for file, language, text in BLOCKS:
        if file:
            (here / file).write_text(text, encoding="utf-8")
        elif language == "sh":
            printed, here = typed(text, here, environment)
        else:
            assert language == "text"
            assert as_shown(text, printed), f"{printed}\nis not what the page shows:\n{text}"

    course = folder / "autumn"
    assert here == course
    assert (course / "feedback" / "anna" / "ch01" / "ch01.html").is_file()
    lines = (course / "grades.csv").read_text().splitlines()
    names = lines[0].split(",")
    anna, ben = (dict(zip(names, line.split(","), strict=True)) for line in lines[1:3])
    assert (anna["student_id"], ben["student_id"]) == ("anna", "ben")
    assert float(anna["score"]) == float(anna["max_score"]) > float(ben["score"]) == 0
    handed_out = course / "release" / "ch20" / "exercises" / "ch20" / "ex1"
    assert {p.name for p in handed_out.iterdir()} == {
        "checks.py",
        "exercise.toml",
        "stub.py",
        "text.md",
    }


def test_the_example_is_complete():
    files = {Path(file).name for file, _, _ in BLOCKS if file}
    assert files >= {"exercise.toml", "text.md", "stub.py", "solution.py", "checks.py", "hidden.py"}


def test_the_limits_are_those_of_the_code():
    from tinytf.grading import answer_process, runner, sandbox
    from tinytf.grading.course import submissions

    table = PAGE.partition("## Limits")[2].partition("##")[0]
    assert f"{answer_process.MEMORY_BYTES >> 30} GiB for an answer" in table
    assert f"{answer_process.OUTPUT_BYTES >> 20} MiB, printed" in table
    assert f"last {answer_process._OUTPUT_LIMIT:,} characters" in table
    assert f"{sandbox.SCRATCH_BYTES >> 20} MiB, in memory" in table
    assert f"| a notebook | {submissions.MOST_BYTES >> 20} MiB |" in table
    assert f"{runner._HIDDEN_WORDS} characters" in table


def test_its_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#\s]+)", PAGE)
    assert "grading_assertions.md" in targets
    for target in targets:
        assert target.startswith("https://") or (ROOT / "docs" / target).is_file()
