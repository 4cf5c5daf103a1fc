"""What the exercises of chapters 3 and 4 say is what happens, and what they offer to try works."""

import ast
import re

import pytest

from tests.notebooks.reading import NOTEBOOKS as FOLDER
from tests.notebooks.reading import cell
from tinytf.grading import exercise, runner

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
NOTEBOOKS = {"ch03": "03_parallel_execution.ipynb", "ch04": "04_clusters.ipynb"}
#: A try-out of chapter 4 starts three processes.
ALL = [
    pytest.param(name, id=name, marks=pytest.mark.slow if name.startswith("ch04") else ())
    for name in exercise.names()
    if name.partition(".")[0] in NOTEBOOKS
]
STORIES = exercise.find("ch03.ex4")


@pytest.fixture(scope="module")
def told():
    """All stories of ch03.ex4 with the module that can play them; the hidden ones as well."""
    runner.load_checks(STORIES.checks)
    import exercise_checks as checks

    runner.load_checks(STORIES.hidden, "hidden_checks")
    import hidden_checks as hidden

    return checks, [one for many in checks.STORIES.values() for one in many] + hidden.STORIES


def test_every_story_is_told_as_the_real_executor_does_it(told):
    checks, stories = told
    assert len(stories) > 25
    for story in stories:
        patience = checks.PATIENCE if story.can else checks.IN_VAIN
        stuck = checks.really(story.build, story.events, story.threads, patience)
        assert (stuck == "") == story.can, (story.text, story.threads, stuck)


def test_a_story_that_cannot_go_on_says_where_it_stands_still(told):
    checks, stories = told
    alone = next(one for one in stories if one.why == "the only thread is busy with left")
    assert checks.really(alone.build, alone.events, 1, checks.IN_VAIN) == (
        "'right begins' did not come"
    )


#: Exercise -> what its try-out prints with the worked solution.
PRINTED = {
    "ch03.ex1": "'a1 b1 a2'",
    "ch03.ex2": "100 seeds passed",
    "ch03.ex3": "at most 2 MiB at one time",
    "ch03.ex4": "True\nFalse\nTrue\nTrue\n",
    "ch04.ex1": "300.0 worker:1\n",
    "ch04.ex2": "3.0\n",
    "ch04.ex3": "{('ps:0', 'worker:0'): 4000, ('worker:0', 'worker:1'): 8000}\n",
}


@pytest.mark.as_committed
@pytest.mark.parametrize("name", ALL)
def test_an_answer_can_be_tried_out_as_the_task_says(name, capsys, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)  # where a notebook finds the digits
    found = exercise.find(name)
    names = _notebook_names(NOTEBOOKS[found.chapter])
    (block,) = BLOCK.findall(found.text)
    ast.parse(block)
    exec(compile(found.solution, "solution.py", "exec"), names)  # noqa: S102 - our own texts
    exec(compile(block, f"{found.name}/text.md", "exec"), names)  # noqa: S102
    assert PRINTED[found.name] in capsys.readouterr().out


def _notebook_names(notebook: str) -> dict[str, object]:
    """What the first cell of a lesson defines, and `explore`, which a later one imports."""
    source = cell(notebook, "setup")["source"]
    lines = [line for line in source.splitlines() if not line.startswith("%")]
    names: dict[str, object] = {"__name__": "notebook"}
    exec("\n".join(lines) + "\nfrom tinytf.testing import explore", names)  # noqa: S102
    return names
