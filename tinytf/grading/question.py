"""A question that a lesson asks before it runs a cell: what it offers, and what a reply means.

They stand beside the exercises, in exercises/ch06/predictions.toml, a table for each:

    [twice]                                # "ch06.twice"
    question = "How many elements leave the queue?"
    choices = ["1", "2", "3"]              # or a table: what the cell gives -> what a reader reads
    why = "An operation runs **once** in a step."       # Markdown, shown afterwards
    because.3 = "Each fetch would run it again."        # what is said of this wrong reply

In place of `choices`: `number = "elements"` (the unit; `tolerance = 0.5`), `order = ["a", "b"]` (to
put in order, as they are offered), `operations = 1` (so many to click in the graph). What is right
is not written there: the cell's last line gives it, and nobody can read it before.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tinytf.grading import exercise

FILE = "predictions.toml"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_KINDS = ("choices", "number", "order", "operations")
_FACTS = {"question", "why", "because", "tolerance", *_KINDS}

#: What is predicted, or what happened: one text, or several where order or set are asked for.
Reply = tuple[str, ...]


class UnknownQuestionError(LookupError):
    """There is no question of that name; the message lists what there is."""


class NoReplyError(ValueError):
    """A text is no reply to the question; the message says what would be one."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
      name: "ch06.twice". text: what is asked. kind: "choices", "number", "order" or "operations".
      options: what a cell may give -> what a reader reads, for choices and orders.
      unit: of a number. tolerance: how far off a number may be.
      many: how many operations are to be named.
      why: Markdown, shown when it is answered. because: wrong reply -> what is said of it.
    """

    name: str
    text: str
    kind: str
    why: str
    options: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    tolerance: float = 0.0
    many: int = 1
    because: Mapping[str, str] = field(default_factory=dict)

    @property
    def chapter(self) -> str:
        """The first half of its name: "ch06"."""
        return self.name.partition(".")[0]

    def reply_of(self, value: Any) -> Reply:
        """What a cell gave, as a reply.

        Example:
          >>> Question("ch06.twice", "How many?", "number", "").reply_of(2)
          ('2',)
        """
        if self.kind in ("order", "operations") and not isinstance(value, str):
            return self._settled(tuple(str(getattr(one, "name", one)) for one in value))
        return self._settled((str(value),))

    def parse(self, text: str) -> Reply:
        """What somebody typed: letters or words of the options, a number, names of operations.

        Raises:
          NoReplyError: if it is none of these.

        Example:
          >>> Question("ch06.x", "?", "order", "", {"put": "put", "take": "take"}).parse("b a")
          ('take', 'put')
        """
        words = [text.strip()] if self.kind == "choices" else re.split(r"[\s,]+", text.strip())
        if self.kind == "number":
            try:
                return (f"{float(text):g}",)
            except ValueError:
                raise NoReplyError(f"{text!r} is no number.") from None
        if self.kind == "operations":
            return self._settled(tuple(filter(None, words)))
        keys = list(self.options)
        letters = dict(zip(_LETTERS, keys, strict=False))
        reply = tuple(letters.get(word.lower(), word) for word in words)
        whole = len(reply) == 1 if self.kind == "choices" else sorted(reply) == sorted(keys)
        if not whole or not set(reply) <= set(keys):
            offered = ", ".join(letters)
            wanted = "one of" if self.kind == "choices" else "all of, in your order,"
            raise NoReplyError(f"{text!r} is no reply here: type {wanted} {offered}.")
        return reply

    def is_right(self, reply: Reply, happened: Reply) -> bool:
        """Whether what was predicted is what happened."""
        if self.kind == "number":
            try:
                difference = abs(float(reply[0]) - float(happened[0]))
            except ValueError:  # the cell gave no number: nobody can have said so
                return False
            return difference <= self.tolerance + 1e-9
        return self._settled(reply) == happened

    def shown(self, reply: Reply) -> str:
        """A reply as a reader reads it.

        Example:
          >>> Question("ch06.x", "?", "number", "", unit="elements").shown(("2",))
          '2 elements'
        """
        words = [self.options.get(one, one) for one in reply]
        unit = self.unit.removesuffix("s") if reply == ("1",) else self.unit
        return (", then " if self.kind == "order" else ", ").join(words) + (
            f" {unit}" if unit else ""
        )

    def lettered(self) -> list[tuple[str, str]]:
        """The options with their letters, as they are offered."""
        return list(zip(_LETTERS, self.options.values(), strict=False))

    def _settled(self, reply: Reply) -> Reply:
        return tuple(sorted(reply)) if self.kind == "operations" else reply


def load(path: Path) -> dict[str, Question]:
    """The questions of a file, by name, in its order; the chapter is the name of its folder.

    Raises:
      ValueError: naming the file and the question, for a fact that is missing or not known.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        return {f"{path.parent.name}.{one}": _question(path, one, tables[one]) for one in tables}
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is no TOML: {error}") from None


def _question(path: Path, name: str, facts: dict[str, Any]) -> Question:
    where = f"{path}, [{name}]"
    kinds = [kind for kind in _KINDS if kind in facts]
    missing = [fact for fact in ("question", "why") if not facts.get(fact)]
    if len(kinds) != 1 or missing or set(facts) - _FACTS:
        raise ValueError(
            f"{where} needs question, why, and one of {', '.join(_KINDS)}; it has "
            f"{', '.join(facts)}."
        )
    (kind,) = kinds
    offered = facts[kind] if kind in ("choices", "order") else {}
    options = dict(offered) if isinstance(offered, dict) else {one: one for one in offered}
    strangers = set(facts.get("because", ())) - set(options)
    if kind in ("choices", "order") and (len(options) < 2 or len(options) != len(offered)):
        raise ValueError(f"{where} has to offer two things or more, each once.")
    if kind == "choices" and strangers:
        raise ValueError(f"{where} says why of {strangers}, which it does not offer.")
    return Question(
        f"{path.parent.name}.{name}",
        facts["question"].strip(),
        kind,
        facts["why"].strip(),
        options,
        facts["number"] if kind == "number" else "",
        float(facts.get("tolerance", 0.0)),
        int(facts["operations"]) if kind == "operations" else 1,
        {str(reply): text.strip() for reply, text in facts.get("because", {}).items()},
    )


def of_chapter(chapter: str) -> dict[str, Question]:
    """The questions of "ch06", in order; none if it has none."""
    for place in exercise.roots():
        path = place / chapter / FILE
        if path.exists():
            return load(path)
    return {}


def find(name: str) -> Question:
    """The question "ch06.twice".

    Raises:
      UnknownQuestionError: if there is none.
    """
    if not name:
        raise UnknownQuestionError("Name the question, as in  %%predict ch06.twice")
    chapter = name.partition(".")[0]
    there = of_chapter(chapter)
    if name not in there:
        near = difflib.get_close_matches(name, there, n=3) or list(there)
        raise UnknownQuestionError(
            f"There is no question {name!r} in {chapter}/{FILE}. Perhaps: {_listed(near)}. (The "
            f"questions come with the course: they are looked for in {exercise.root()}.)"
        )
    return there[name]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
