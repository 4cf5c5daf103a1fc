"""Asking a library, given as `tf`, and writing its answers as text. Knows neither of them."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent
Question = Callable[[Any], dict[str, Any]]
Answers = dict[str, str]

#: Put by `says` before a message that lacks the phrase; a recording must not have it.
UNEXPECTED = "instead: "


class _Said(str):
    """An answer that is text already."""


def question(function: Question) -> Question:
    """Mark a function of a family's module as one of its questions."""
    function.is_question = True  # type: ignore[attr-defined]
    return function


def says(phrase: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """What a call raises: "ValueError: phrase", if the message contains the phrase."""
    try:
        value = function(*args, **kwargs)
    except Exception as error:
        text = str(error.args[0]) if isinstance(error, KeyError) else str(error)
        found = phrase in text
        return _Said(f"{type(error).__name__}: {phrase if found else UNEXPECTED + text}")
    return _Said(f"{UNEXPECTED}no error, but {describe(value)}")


def families() -> list[str]:
    """The names of all families."""
    return sorted(path.stem for path in (FOLDER / "questions").glob("[a-z]*.py"))


def questions_of(family: str) -> dict[str, Question]:
    """The questions of a family by name."""
    module = importlib.import_module(f"tests.behaviour.questions.{family}")
    return {name: f for name, f in vars(module).items() if getattr(f, "is_question", False)}


def differences_of(family: str) -> dict[tuple[str, str], tuple[str, str]]:
    """(question, label) -> (the answer here, why it is not TensorFlow's)."""
    module = importlib.import_module(f"tests.behaviour.questions.{family}")
    return getattr(module, "DIFFERENCES", {})


def ask(tf: Any, put: Question) -> Answers:
    """The answers of a library, as text by label."""
    with tf.Graph().as_default():
        return {label: describe(answer) for label, answer in put(tf).items()}


def recorded(family: str) -> dict[str, Answers]:
    """TensorFlow's answers to the questions of a family."""
    return json.loads((FOLDER / "recorded" / f"{family}.json").read_text())


def describe(value: Any) -> str:
    """A value as text that does not depend on the library it comes from."""
    kind = type(value)
    if kind is _Said:
        return str(value)
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype}{list(value.shape)} {value.tolist()!r}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {describe(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        name = "" if kind in (list, tuple) else kind.__name__
        marks = "[]" if isinstance(value, list) else "()"
        return name + marks[0] + ", ".join(map(describe, value)) + marks[1]
    if kind.__name__ in ("Tensor", "SymbolicTensor"):
        return str(value)
    if kind.__name__ == "Operation":
        return f"Operation({value.type} {value.name})"
    if hasattr(value, "DESCRIPTOR"):
        return re.sub(r"\s+", " ", str(value)).strip()
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
