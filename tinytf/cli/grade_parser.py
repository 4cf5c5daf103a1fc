"""What `tinytf grade` takes: its own commands and their options."""

import argparse
from typing import Any

_ABOUT = """\
Run it in the folder of the course, or say --course FOLDER:

    tinytf grade init autumn ch01 ch02     a course with two assignments
    tinytf grade release ch01              release/ch01/ch01.ipynb is what learners get
    tinytf grade collect ch01 ~/in/*.ipynb anna.ipynb goes to submitted/anna/ch01/
    tinytf grade autograde ch01            points for everybody, in the gradebook
    tinytf grade feedback ch01             feedback/anna/ch01/ch01.html
    tinytf grade export                    grades.csv
    tinytf grade predictions ch01 *.json   what a class predicted, and how many knew

docs/instructors.md goes through all of it.
"""
_WHEN = ("auto", "always", "never")
_SANDBOX = """auto: answers run in a sandbox if bubblewrap works here, else it is said;
always: nothing is graded without one; never: for answers of people you know"""


def add(commands: Any) -> None:
    """Add `grade` to the commands of tinytf."""
    grade = commands.add_parser(
        "grade",
        help="for instructors: release exercises, grade them, give feedback",
        description="For instructors: release exercises, grade them, give feedback.",
        epilog=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    grade.add_argument("--course", default=".", metavar="FOLDER", help="default: this folder")
    steps = grade.add_subparsers(dest="step", required=True, metavar="STEP")
    _add_setting_up(steps)
    _add_grading(steps)
    _add_reading(steps)


def _add_setting_up(steps: Any) -> None:
    init = _add(steps, "init", "make a course out of the exercises")
    init.add_argument("folder", help="of the course; it is made if it is not there")
    init.add_argument("chapters", nargs="*", metavar="CHAPTER", help="ch03 (default: all)")
    init.add_argument("--name", default="", help="of the course (default: the folder's)")
    release = _add(steps, "release", "make the notebook that learners get")
    release.add_argument("chapter")
    test = _add(steps, "test", "try an exercise's own answers: the solution, the stub, the bugs")
    test.add_argument("names", nargs="*", metavar="EXERCISE", help="ch03.ex1, ch03 (default: all)")
    lab = _add(steps, "lab", "open JupyterLab on the course, with nbgrader's panels")
    lab.add_argument("--port", type=int, help="default: 8888, or the next one that is free")
    lab.add_argument(
        "--no-browser",
        dest="browser",
        action="store_false",
        default=None,
        help="only print the address",
    )


def _add_grading(steps: Any) -> None:
    collect = _add(steps, "collect", "take notebooks that were handed in, named after people")
    collect.add_argument("chapter")
    collect.add_argument("files", nargs="+", metavar="NOTEBOOK", help="anna.ipynb")
    autograde = _add(steps, "autograde", "give points to what was handed in")
    autograde.add_argument("chapter")
    autograde.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="NAME",
        help="only this one; may be repeated",
    )
    text = f"{_SANDBOX} (default: as in nbgrader_config.py)"
    autograde.add_argument("--sandbox", choices=_WHEN, help=text)
    feedback = _add(steps, "feedback", "write a page for everybody")
    feedback.add_argument("chapter")
    notebook = _add(steps, "notebook", "give points to one notebook, without a course")
    notebook.add_argument("file")
    text = f"{_SANDBOX} (default: auto)"
    notebook.add_argument("--sandbox", choices=_WHEN, default="auto", help=text)


def _add_reading(steps: Any) -> None:
    export = _add(steps, "export", "write all grades as CSV")
    export.add_argument("--to", metavar="FILE", help="default: grades.csv in the course")
    _add(steps, "status", "show the assignments, and who has handed in what")
    predictions = _add(steps, "predictions", "show what a class predicted, and who knew")
    predictions.add_argument("chapter")
    text = "anna.json, made with  %%predictions save anna.json  in a notebook"
    predictions.add_argument("files", nargs="+", metavar="FILE", help=text)


def _add(steps: Any, name: str, what: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = steps.add_parser(
        name, help=what, description=f"{what[0].upper()}{what[1:]}."
    )
    return parser
