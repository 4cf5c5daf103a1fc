"""Protobuf declarations as lines that can be compared: TensorFlow's (dumped) and ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from google.protobuf import descriptor_pb2

from tests.oracle.environment import DATA

TABLE = DATA / "messages.tsv"

_FIELD = descriptor_pb2.FieldDescriptorProto
_LABELS = {_FIELD.LABEL_OPTIONAL: "", _FIELD.LABEL_REPEATED: "repeated "}


def describe(files: Iterable[descriptor_pb2.FileDescriptorProto]) -> dict[str, str]:
    """Every field and enum value of the files, as {"NodeDef.name": "1 string", ...}.

    A field's text is its number, label, type, and the oneof it belongs to. Package names are
    left out: they are what differs between TensorFlow and us, and the wire never shows them.
    """
    lines: dict[str, str] = {}
    for file in files:
        for message in file.message_type:
            lines.update(_message(message, message.name))
        for enum in file.enum_type:
            lines.update(_enum(enum, enum.name))
    return lines


def _message(message: descriptor_pb2.DescriptorProto, path: str) -> Iterator[tuple[str, str]]:
    yield path, "message"
    for field in message.field:
        text = f"{field.number} {_LABELS[field.label]}{_type(field)}"
        if field.HasField("oneof_index"):
            text += f" in {message.oneof_decl[field.oneof_index].name}"
        yield f"{path}.{field.name}", text
    for nested in message.nested_type:
        yield from _message(nested, f"{path}.{nested.name}")
    for enum in message.enum_type:
        yield from _enum(enum, f"{path}.{enum.name}")


def _enum(enum: descriptor_pb2.EnumDescriptorProto, path: str) -> Iterator[tuple[str, str]]:
    yield path, "enum"
    for value in enum.value:
        yield f"{path}.{value.name}", str(value.number)


def _type(field: descriptor_pb2.FieldDescriptorProto) -> str:
    if not field.type_name:
        return _FIELD.Type.Name(field.type).removeprefix("TYPE_").lower()
    parts = field.type_name.lstrip(".").split(".")
    while parts[0][0].islower():  # tensorflow, tsl, tinytf, error: packages
        parts = parts[1:]
    return ".".join(parts)


def read_table(path: Path = TABLE) -> dict[str, str]:
    """TensorFlow's declarations, as `describe` gives them."""
    lines = path.read_text().splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


def table_text(lines: dict[str, str]) -> str:
    """The text of the table file."""
    head = "# TensorFlow 2.15.1's messages and enums; written by scripts/oracle/dump_messages.py\n"
    return head + "".join(f"{key}\t{lines[key]}\n" for key in sorted(lines))
