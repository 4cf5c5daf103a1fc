"""A program run by tinytf, beside what TensorFlow printed for it."""

from __future__ import annotations

import difflib
import functools
import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import environment
from tests.programs.running import names, printed, programs, recorded
from tinytf import compatibility

_recorded = functools.cache(recorded)


def with_names(root: Path) -> list[Any]:
    """The programs as parameters of a test; the default run has each fourth of them."""
    return [
        pytest.param(
            path,
            id=f"{path.parent.name}/{path.stem}",
            marks=pytest.mark.slow if number % 4 else (),
        )
        for number, path in enumerate(programs(root))
    ]


def check(program: Path) -> None:
    """Run it in TensorFlow's place; it has to print the same text."""
    kind, name = program.parent.name, program.stem
    expected = _recorded(program.parent.parent).get(kind, {}).get(name)
    assert expected is not None, f"python3 scripts/oracle/record_programs.py {kind}/{name}"
    with compatibility.as_tensorflow(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of files that these programs leave open, for example
        found = printed(program)
    lines = difflib.ndiff(expected.splitlines(), found.splitlines())
    assert found == expected, "TensorFlow's (-), ours (+):\n" + "\n".join(lines)


def check_with_tensorflow(root: Path, config: pytest.Config) -> None:
    """A live TensorFlow prints what was recorded; outside exhaustive runs, for each third program.

    What is recorded changes with TensorFlow or with a program, and was printed by the same version.
    """
    chosen = programs(root) if config.getoption("exhaustive") else programs(root)[::3]
    texts = recorded(root)
    expected = {path: texts[path.parent.name][path.stem] for path in chosen}
    assert print_under_tensorflow(chosen) == expected


def check_that_all_are_recorded(root: Path) -> None:
    """No program without a recording, no recording without a program."""
    assert {kind: sorted(texts) for kind, texts in recorded(root).items()} == names(root)


def print_under_tensorflow(programs: list[Path]) -> dict[Path, str]:
    """What a live TensorFlow prints for these programs, in one process."""
    script = environment.ROOT / "scripts" / "oracle" / "record_programs.py"
    names = [f"{path.parent.name}/{path.stem}" for path in programs]
    done = subprocess.run(
        [sys.executable, str(script), *names, "--print"],
        capture_output=True,
        text=True,
        env=environment.tensorflow_environment(),
        timeout=560,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    return {path: found[path.parent.name][path.stem] for path in programs}
