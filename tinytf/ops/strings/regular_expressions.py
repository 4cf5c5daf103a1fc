r"""Regular expressions in strings: RE2, as in TensorFlow.

A match takes time in proportion to the text and to the pattern, and other threads go on in the
meantime: with the limits below, a pattern of somebody else's is no danger. Text is UTF-8; a byte
that is none matches `\C` only. The bindings have RE2's matching, not its replacing, which is here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.errors import ResourceExhaustedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.tensor import Tensor
from tinytf.ops.strings import string_cards

# Patterns -----------------------------------------------------------------------------------------

#: Characters of a pattern, or of what RE2 says of it, that an error shows.
_SHOWN = 200
#: RE2 takes seconds and gigabytes to refuse some that are longer, and writes to stderr.
_MOST_PATTERN_BYTES = 8192
#: Of RE2's own memory, for a search that keeps groups.
_MOST_GROUP_BYTES = 1 << 28
_BYTES_OF_A_GROUP = 16


@functools.lru_cache(maxsize=64)
def _compiled(pattern: bytes, groups: bool) -> Any:
    """A pattern, compiled; `groups`: whether what its groups match is asked for.

    Raises:
      InvalidArgumentError: "Invalid pattern: (a, error: missing ): (a".
      ResourceExhaustedError: for a pattern that takes too much memory, by its length or its groups.
    """
    if len(pattern) > _MOST_PATTERN_BYTES:
        raise _exhausted(
            f"The pattern {_legible(pattern)} has {len(pattern)} bytes, and may have "
            f"{_MOST_PATTERN_BYTES}. Try several shorter ones, one after the other."
        )
    import re2  # here: programs without patterns do not wait for it

    options = re2.Options()
    options.log_errors = False
    options.never_capture = not groups
    try:
        expression = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0]
        raise invalid(f"Invalid pattern: {_legible(pattern)}, error: {_legible(reason)}") from None
    size = expression.groups * expression.programsize * _BYTES_OF_A_GROUP
    if size > _MOST_GROUP_BYTES:
        raise _exhausted(
            f"The pattern {_legible(pattern)} has {expression.groups} groups; to find what they "
            f"match takes up to {size} bytes, and may take {_MOST_GROUP_BYTES}. Write (?:...) for "
            "groups that the rewrite does not name."
        )
    return expression


def _exhausted(text: str) -> Exception:
    return ResourceExhaustedError(text)


def _legible(text: bytes) -> str:
    shown = text[:_SHOWN].decode("utf-8", "backslashreplace")
    return shown if len(text) <= _SHOWN else f"{shown}..."


# Replacing ----------------------------------------------------------------------------------------


class _Rewrite:
    r"""What to put where a pattern matches: \0 to \9 are groups, \\ is a backslash.

    Attributes:
      last_group: the highest number of a group; 0 if there is none.
      is_understood: whether nothing else stands behind a backslash. RE2 leaves the text as it is
        otherwise; where every match is replaced, it puts what comes before.
    """

    def __init__(self, text: bytes):
        self.last_group, self.is_understood = 0, True
        self._pieces: list[bytes | int] = []
        position = 0
        while (slash := text.find(b"\\", position)) >= 0:
            letter = text[slash + 1 : slash + 2]
            self._add(text[position:slash])
            if letter.isdigit():
                self.last_group = max(self.last_group, int(letter))
                self._add(int(letter))
            elif letter == b"\\":
                self._add(letter)
            else:
                self.is_understood = False
            position = slash + 2
        self._add(text[position:])

    def _add(self, piece: bytes | int) -> None:
        if self.is_understood:
            self._pieces.append(piece)

    def of(self, found: Any) -> bytes:
        """The replacement of one match."""
        return b"".join(
            piece if isinstance(piece, bytes) else found[piece] or b"" for piece in self._pieces
        )


def _replaced(
    step: Any, text: bytes, search: Callable[..., Any], rewrite: _Rewrite, everywhere: bool
) -> bytes:
    """Matches replaced as RE2 does: none is empty right behind the one before it."""
    parts: list[bytes] = []
    position, last_end = 0, -1
    while position <= len(text):
        step.cancellation.check()
        found = search(text, position)
        if found is None:
            break
        start, end = found.span()
        parts.append(text[position:start])
        if start == end == last_end:
            position = start + _character_size(text, start)
            parts.append(text[start:position])
            continue
        parts.append(rewrite.of(found))
        position = last_end = end
        if not everywhere:
            break
    parts.append(text[position:])
    return b"".join(parts)


def _character_size(text: bytes, start: int) -> int:
    """How many bytes the character at `start` has: 1 for a byte that begins none."""
    for size in range(1, 5):
        try:
            text[start : start + size].decode("utf-8", "surrogatepass")  # as RE2 counts
        except UnicodeDecodeError:
            continue
        return size
    return 1


def _replace(step: Any, x: Any, pattern: bytes, rewrite: bytes, everywhere: bool) -> np.ndarray:
    new = _Rewrite(rewrite)
    expression = _compiled(pattern, new.last_group > 0)
    if new.last_group > expression.groups:
        return x  # RE2 leaves the text alone
    if not (new.is_understood or everywhere):
        return x
    return string_cards.map_texts(
        lambda text: _replaced(step, text, expression.search, new, everywhere), x
    )


_regex_replace = define_op(
    "RegexReplace",
    "input: string, pattern: string, rewrite: string -> output: string",
    "replace_global: bool = true",
    shape=string_cards.beside_scalars,
    no_gradient=string_cards.NO_DERIVATIVE,
)
_static_regex_replace = string_cards.text_card(
    "StaticRegexReplace", "pattern: string, rewrite: string, replace_global: bool = true"
)


@_regex_replace.kernel
def _regex_replace_kernel(
    step: Any, x: Any, pattern: Any, rewrite: Any, *, replace_global: bool
) -> Any:
    expression = string_cards.only_text(pattern, "Pattern must be scalar, but received")
    new = string_cards.only_text(rewrite, "Rewrite must be scalar, but received")
    return _replace(step, x, expression, new, replace_global)


@_static_regex_replace.kernel
def _static_regex_replace_kernel(
    step: Any, x: Any, *, pattern: bytes, rewrite: bytes, replace_global: bool
) -> Any:
    return _replace(step, x, pattern, rewrite, replace_global)


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

_full_match = define_op(
    "RegexFullMatch",
    "input: string, pattern: string -> output: bool",
    shape=string_cards.beside_scalars,
    no_gradient=string_cards.NO_DERIVATIVE,
)
_static_full_match = string_cards.text_card("StaticRegexFullMatch", "pattern: string", "bool")


def _matches(step: Any, x: Any, pattern: bytes) -> np.ndarray:
    match = _compiled(pattern, False).fullmatch

    def matches(text: bytes) -> bool:
        step.cancellation.check()
        return match(text) is not None

    return np.array([matches(text) for text in string_cards.texts(x)], bool).reshape(np.shape(x))


@_full_match.kernel
def _full_match_kernel(step: Any, x: Any, pattern: Any) -> np.ndarray:
    return _matches(
        step, x, string_cards.only_text(pattern, "Pattern must be scalar, but received")
    )


@_static_full_match.kernel
def _static_full_match_kernel(step: Any, x: Any, *, pattern: bytes) -> np.ndarray:
    return _matches(step, x, pattern)


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
