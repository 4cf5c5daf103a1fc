r"""Regular expressions in strings: the syntax of RE2, matched by Python's `re`.

TensorFlow uses RE2. A pattern is brought into Python's syntax here; the two choose the same match.
What RE2 does not have (groups that look around, references back) is refused as it refuses it.
What differs: classes of Unicode (`\pL`), ungreedy mode (`(?U)`), single bytes (`\C`) and options
in the middle of a pattern are not there, and without regard to case only letters of ASCII are
alike. Bytes that are no UTF-8 count as characters of their own.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.shape_rules import invalid
from tinytf.ops.strings.values import NO_DERIVATIVE, map_texts, only_text, text_card, texts

# Patterns -----------------------------------------------------------------------------------------

_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f", "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": r"!-/:-@\[-`{-~", "space": r"\t\n\v\f\r ", "upper": "A-Z", "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_PIECES = re.compile(
    r"\\Q(?P<literal>.*?)(?:\\E|\Z)|\\x\{(?P<code>[0-9a-fA-F]+)\}|\\(?P<escape>.)"
    r"|\[:(?P<name>\w+):\]|(?P<dollar>\$)|(?P<group>\(\?(?!P<|:|[ims-]+[:)]).{0,2})"
    r"|(?P<greedy>[*+?}]\+)|(?P<open>\[\^?\]?)|(?P<close>\])",
    re.DOTALL,
)
#: Python's words of an error -> RE2's; the latter end with the part of the pattern in question.
_ERRORS = {
    "missing ), unterminated subpattern": "missing )", "unbalanced parenthesis": "unexpected )",
    "unterminated character set": "missing ]", "bad escape (end of pattern)": "trailing \\",
    "nothing to repeat": "no argument for repetition operator",
}  # fmt: skip


@functools.lru_cache(maxsize=256)
def compiled(pattern: bytes) -> re.Pattern[str]:
    """An RE2 pattern for Python.

    Raises:
      InvalidArgumentError: "Invalid pattern: (a, error: missing ): (a".
    """
    text = pattern.decode("utf-8", "surrogateescape")
    try:
        return re.compile(_translated(text), re.ASCII)
    except re.error as error:
        reason = _ERRORS.get(error.msg, error.msg)
        part = text[error.pos :] if error.pos is not None else text
        raise _refused(text, f"{reason}: {part or text}") from None
    except (RecursionError, OverflowError):
        raise _refused(text[:40], "nests too deeply, or repeats too often") from None


def _refused(pattern: str, reason: str) -> Exception:
    return invalid(f"Invalid pattern: {pattern}, error: {reason}")


def _translated(pattern: str) -> str:
    multiline = re.match(r"\(\?[is]*m[ims]*\)", pattern) is not None
    inside = False  # of brackets

    def translate(found: re.Match[str]) -> str:
        nonlocal inside
        kind, text = found.lastgroup, found[found.lastgroup or 0]
        if kind == "open":
            result = "\\[" if inside else found[0].replace("]", "\\]")
            inside = True
            return result
        if kind == "close":
            inside = False
        elif kind == "literal":
            return re.escape(text)
        elif kind == "code":
            return re.escape(chr(int(text, 16)))
        elif kind == "escape":
            return _escape(pattern, text)
        elif kind == "name" and inside and text in _CLASSES:
            return _CLASSES[text]
        elif kind == "dollar" and not inside and not multiline:
            return r"\Z"  # not before a last new line
        elif kind == "group" and not inside:
            raise _refused(pattern, f"invalid perl operator: {text}")
        elif kind == "greedy" and not inside:
            raise _refused(pattern, f"bad repetition operator: {text}")
        return found[0]

    return _PIECES.sub(translate, pattern)


def _escape(pattern: str, letter: str) -> str:
    if letter == "z":
        return r"\Z"
    if letter in "123456789ZGKk":
        raise _refused(pattern, f"invalid escape sequence: \\{letter}")
    if letter in "pPC":
        raise _refused(pattern, f"\\{letter} is not part of tinytf")
    return f"\\{letter}"


# Replacing ----------------------------------------------------------------------------------------


def _replaced(text: bytes, pattern: re.Pattern[str], rewrite: str, everywhere: bool) -> bytes:
    """Matches replaced as RE2 does: none is empty right behind the one before it."""
    subject = text.decode("utf-8", "surrogateescape")
    parts: list[str] = []
    position, copied, last_end = 0, 0, -1
    while position <= len(subject):
        found = pattern.search(subject, position)
        if found is None:
            break
        start, end = found.span()
        if start == end == last_end:
            position = end + 1
            continue
        new = _rewritten(rewrite, found, everywhere)
        if new is None:
            return text
        parts += [subject[copied:start], new]
        position = copied = last_end = end
        if not everywhere:
            break
    parts.append(subject[copied:])
    return "".join(parts).encode("utf-8", "surrogateescape")


def _rewritten(rewrite: str, found: re.Match[str], as_far_as_understood: bool) -> str | None:
    r"""The replacement of one match: \0 to \9 are groups, \\ is a backslash; None for others."""
    parts, position = [], 0
    while (slash := rewrite.find("\\", position)) >= 0:
        parts.append(rewrite[position:slash])
        letter = rewrite[slash + 1 : slash + 2]
        if letter.isdecimal():
            parts.append(found[int(letter)] or "")
        elif letter == "\\":
            parts.append("\\")
        else:
            return "".join(parts) if as_far_as_understood else None  # as RE2 does it
        position = slash + 2
    return "".join([*parts, rewrite[position:]])


def _replace(x: Any, pattern: bytes, rewrite: bytes, everywhere: bool) -> np.ndarray:
    expression = compiled(pattern)
    new = rewrite.decode("utf-8", "surrogateescape")
    groups = [int(digit) for digit in re.findall(r"\\([0-9])", new.replace("\\\\", ""))]
    if max(groups, default=0) > expression.groups:
        return x  # RE2 leaves the text alone
    return map_texts(lambda text: _replaced(text, expression, new, everywhere), x)


_regex_replace = define_op(
    "RegexReplace", ["input: string", "pattern: string", "rewrite: string"], ["output: string"],
    ["replace_global: bool = true"],
)  # fmt: skip
_regex_replace.not_differentiable(NO_DERIVATIVE)
_static_regex_replace = text_card(
    "StaticRegexReplace",
    ["pattern: string", "rewrite: string", "replace_global: bool = true"],
)


@_regex_replace.shape
def _regex_replace_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    with_rank(c.input(2), 0)
    return c.input(0)


@_regex_replace.kernel
def _regex_replace_kernel(x: Any, pattern: Any, rewrite: Any, *, replace_global: bool) -> Any:
    expression = only_text(pattern, "Pattern must be scalar, but received")
    new = only_text(rewrite, "Rewrite must be scalar, but received")
    return _replace(x, expression, new, replace_global)


@_static_regex_replace.kernel
def _static_regex_replace_kernel(
    x: Any, *, pattern: bytes, rewrite: bytes, replace_global: bool
) -> Any:
    return _replace(x, pattern, rewrite, replace_global)


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Strings with what matches a pattern replaced (TensorFlow: `tf.regex_replace`).

    Args:
      input: a tensor of strings.
      pattern: a regular expression in RE2's syntax: a string, or a scalar tensor.
      rewrite: what to put there; \1 to \9 stand for groups, \0 for all that matched.
      replace_global: every match; otherwise the first one.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for a malformed pattern.

    Example:
      >>> tf.regex_replace(["Text with tags.<br /><b>contains html</b>"], "<[^>]+>", " ")
      >>> tf.regex_replace("a-b", "(.)-(.)", r"\2-\1")  # b"b-a"
    """
    if isinstance(pattern, str | bytes) and isinstance(rewrite, str | bytes):
        return _static_regex_replace(
            input, name=name, pattern=pattern, rewrite=rewrite, replace_global=replace_global
        )
    return _regex_replace(input, pattern, rewrite, name=name, replace_global=replace_global)


# Matching -----------------------------------------------------------------------------------------

_full_match = define_op("RegexFullMatch", ["input: string", "pattern: string"], ["output: bool"])
_full_match.not_differentiable(NO_DERIVATIVE)
_static_full_match = text_card("StaticRegexFullMatch", ["pattern: string"], "bool")


@_full_match.shape
def _full_match_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    return c.input(0)


def _matches(x: Any, pattern: bytes) -> np.ndarray:
    match = compiled(pattern).fullmatch
    strings = (text.decode("utf-8", "surrogateescape") for text in texts(x))
    return np.array([match(text) is not None for text in strings], bool).reshape(np.shape(x))


@_full_match.kernel
def _full_match_kernel(x: Any, pattern: Any) -> np.ndarray:
    return _matches(x, only_text(pattern, "Pattern must be scalar, but received"))


@_static_full_match.kernel
def _static_full_match_kernel(x: Any, *, pattern: bytes) -> np.ndarray:
    return _matches(x, pattern)


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Which strings match a pattern as a whole (TensorFlow: `tf.strings.regex_full_match`).

    Args:
      input: a tensor of strings.
      pattern: a regular expression in RE2's syntax: a string, or a scalar tensor.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for a malformed pattern.

    Example:
      >>> tf.strings.regex_full_match(["TF lib", "lib TF"], ".*lib$")  # [True, False]
    """
    if isinstance(pattern, str | bytes):
        return _static_full_match(input, name=name, pattern=pattern)
    return _full_match(input, pattern, name=name)
