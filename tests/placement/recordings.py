"""Where TensorFlow put the random graphs: the file, and texts in a form that can be compared."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

from tests.oracle.environment import write_atomically

FILE = Path(__file__).parent / "recorded.json.gz"

_KINDS = re.compile(r"(possible_devices_=\[[^\n]*\n)(.*?)(\n\nColocation members)", re.DOTALL)
_ATTRS = re.compile(r"((?:with these attrs: \[|Node attrs: ))([^\n]*?)(\]?\n)")


def error_text(error: Any) -> str:
    """An error as text: its class, and TensorFlow's part of the message.

    TensorFlow lists the types of a group and the attributes of a node in the order of a hash
    table, another each time: here they are sorted. An input that was set later is "x:0" there.
    The operation at the end is not marked by "{{node" where another name is; here it always is.
    """
    text = str(error).partition("\n\nOriginal stack trace for")[0].rstrip()
    text = _KINDS.sub(lambda m: m[1] + "\n".join(sorted(m[2].split("\n"))) + m[3], text)
    text = _ATTRS.sub(lambda m: m[1] + ", ".join(sorted(m[2].split(", "))) + m[3], text)
    text = re.sub(r":0(?=[,)])", "", text)
    text = re.sub(r"\[\[\{\{node ([^}]*)\}\}\]\]", r"[[\1]]", text)
    return f"{type(error).__name__}: {text}"


def write(found: list[list[list[str]]]) -> None:
    """Write the recording; the same content gives the same file."""
    text = json.dumps(found, separators=(",", ":"), ensure_ascii=False)
    write_atomically(FILE, gzip.compress(text.encode(), mtime=0))


def read() -> list[list[list[str]]]:
    """For each seed and each time its graph is placed: the lines of the log, or the error."""
    return json.loads(gzip.decompress(FILE.read_bytes()))
