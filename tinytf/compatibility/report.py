"""What `tinytf doctor FILE` prints."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence

from tinytf.compatibility.examination import DIFFERS, MISSING, RUNS, Finding, examine

_WIDTH = 100
#: So many lines are named, of those that a name stands on.
_PLACES = 8


def run(file: str, as_json: bool = False) -> int:
    """Print the report on a program or notebook.

    Returns:
      the exit code: 0 if all that it asks for is here, 1 if something is not, 2 if it cannot be
      read.

    Example:
      >>> run("mnist_softmax.py")  # doctest: +SKIP
      0
    """
    try:
        findings = examine(file)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        print(f"tinytf doctor: cannot read {file}: {said}", file=sys.stderr)
        return 2
    if as_json:
        print(json.dumps([one._asdict() for one in findings], indent=1))
    else:
        print(as_text(file, findings))
    return 1 if any(one.state == MISSING for one in findings) else 0


def as_text(file: str, findings: Sequence[Finding]) -> str:
    """The report: what is missing first.

    Example:
      >>> print(as_text("program.py", []))
      program.py asks for nothing of TensorFlow's.
    """
    if not findings:
        return f"{file} asks for nothing of TensorFlow's."
    of = {state: [one for one in findings if one.state == state] for state in (MISSING, DIFFERS)}
    named = {one.name for found in of.values() for one in found}
    runs = [one for one in findings if one.state == RUNS and one.name not in named]
    line = "cell:line" if any(":" in one.places[0] for one in findings) else "line"
    lines = []
    if of[MISSING]:
        lines += [f"Not in tinytf ({line}):", *_explained(of[MISSING]), ""]
    if of[DIFFERS]:
        lines += [f"Runs, with a difference ({line}):", *_explained(of[DIFFERS]), ""]
    if runs:
        listed = ", ".join(f"{one.name} ({_places(one)})" for one in runs)
        lines += [f"Runs ({line}):", *_wrapped(listed, "  "), ""]
    missing, differ = ({one.name for one in of[state]} for state in (MISSING, DIFFERS))
    counts = f"{len(runs)} run, {len(differ - missing)} run with a difference"
    return "\n".join([*lines, f"{file}: {counts}, {len(missing)} are not in tinytf."])


def _explained(findings: Sequence[Finding]) -> list[str]:
    """Names with lines, and below them what is said of all of these."""
    names: dict[str, list[str]] = {}
    for one in sorted(findings, key=lambda one: one.name):
        names.setdefault(one.text, []).append(f"{one.name} ({_places(one)})")
    lines: list[str] = []
    for text, found in names.items():
        lines += [*_wrapped(", ".join(found), "  "), *_wrapped(text, "      ")]
    return lines


def _places(finding: Finding) -> str:
    shown = ", ".join(finding.places[:_PLACES])
    return f"{shown} ..." if len(finding.places) > _PLACES else shown


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
