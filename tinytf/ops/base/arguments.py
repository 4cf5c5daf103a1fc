"""A call whose arguments do not fit: which one was meant, and which there are.

Python says `__init__() got an unexpected keyword argument 'lr'`. What `explains_arguments`
decorates says that, then what a learner needs next. A call that fits costs a tenth of a
microsecond more, where a node of the graph takes tens: nothing that runs in a step is decorated.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tinytf.protos import config_pb2

F = TypeVar("F", bound=Callable[..., Any])

_UNEXPECTED = re.compile(r".*got an unexpected keyword argument '(\w+)'")
#: Where a suggestion can be made, longer lists of arguments are left out.
_MANY = 10
#: argument -> what is said of it when it was meant
_NOTES = {
    "shapes": "a shape for each component of an element: shapes=[{value}] for one component",
    "dtypes": "a type for each component of an element: dtypes=[{value}] for one component",
}
#: kinds of protocol messages' fields
_KINDS = {5: "a number", 6: "a number", 7: "True or False", 9: "a string"}
#: what other libraries call an argument -> what it may be called here
_SYNONYMS = dict(
    pair.split(":")
    for pair in "dim:axis keepdim:keepdims epochs:num_epochs,count n:count task:task_index "
    "feeds:feed_dict num_ps:ps_tasks delimiter:field_delim sep:field_delim".split()
)


def explains_arguments(function: F) -> F:
    """Decorate a public function, or an `__init__`, so that a call that does not fit is explained.

    The decorated function has the name, the signature and the source of `function`.

    Example:
      >>> tf.train.AdamOptimizer(lr=0.1)
      TypeError: AdamOptimizer.__init__() got an unexpected keyword argument 'lr'. Did you mean
      learning_rate=? Its arguments: learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, ...
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            # Without a frame of the function's own, it is this call that failed, not what it did.
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                error.args = (explained_call(function, str(error), kwargs),)
            raise

    return call  # type: ignore[return-value]


def having(given: Any, attribute: str, hint: str) -> Any:
    """What was given; AttributeError, with a hint, if it is nothing that has this attribute."""
    if not hasattr(given, attribute):
        kind = type(given).__name__
        raise AttributeError(f"{kind!r} object has no attribute {attribute!r}. {hint}")
    return given


def explained_call(function: Callable[..., Any], said: str, given: dict[str, Any]) -> str:
    """What is wrong with a call: what Python said of it, and what a learner needs next.

    Args:
      function: what was called. given: its arguments that were given by name.
    """
    known = {
        name: argument
        for name, argument in inspect.signature(function).parameters.items()
        if name != "self" and not name.startswith("_")
    }
    said = said.removeprefix("Base")  # BaseSession
    unexpected = _UNEXPECTED.match(said)
    if unexpected:  # from Python 3.13 on a suggestion may follow
        name, said = unexpected[1], unexpected[0]
        if meant := [n for n in _meant(name, list(known)) if n not in given]:
            said += f". Did you mean {' or '.join(f'{n}=' for n in meant)}?"
            value = given[name]
            if isinstance(value, list | tuple) and value and not isinstance(value[0], int):
                value = value[0]  # a list of them already
            value = _short(value)
            notes = [f"{n}= takes {_NOTES[n].format(value=value)}." for n in meant if n in _NOTES]
            said = " ".join([said, *notes])
        elif "config" in known and (setting := _setting(config_pb2.ConfigProto, name)):
            return f"{said}. It is a setting: config=tf.ConfigProto({setting})."
        if len(known) > _MANY and meant:
            return said
    ending = "" if said.endswith((".", "?")) else "."
    arguments = (re.split("[:=]", str(a))[0] + _default(a) for a in known.values())
    return f"{said}{ending} Its arguments: {', '.join(arguments)}."


def _meant(name: str, known: Sequence[str]) -> list[str]:
    """The arguments that somebody may have meant by another name, the likeliest first."""
    import difflib

    same = [n for n in _SYNONYMS.get(name, "").split(",") if n in known]
    near = same or difflib.get_close_matches(name, known, n=2, cutoff=0.7)
    begun = [n for n in known if n.startswith(name) or name.startswith(n)]
    ended = [n for n in known if n.endswith(f"_{name}")]
    # lr for learning_rate
    initials = [n for n in known if "".join(word[0] for word in n.split("_")) == name]
    return (near or begun or ended or initials)[:2]


def explain_fields(*messages: Any) -> None:
    """Have the constructors of protocol messages say which field was meant, and what it takes.

    Example:
      >>> tf.ConfigProto(allow_growth=True)
      ValueError: Protocol message ConfigProto has no "allow_growth" field. Did you mean
      gpu_options=tf.GPUOptions(allow_growth=...)?
    """
    for message in messages:
        message.__init__ = _with_fields_explained(message, message.__init__)


def _with_fields_explained(message: Any, make: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(make)
    def __init__(self: Any, *args: Any, **fields: Any) -> None:
        try:
            make(self, *args, **fields)
        except (TypeError, ValueError) as error:
            error.args = (str(error) + _wrong_field(message, make, fields),)
            raise

    return __init__


def _wrong_field(message: Any, make: Callable[..., None], fields: dict[str, Any]) -> str:
    known = message.DESCRIPTOR.fields_by_name
    for name, value in fields.items():
        if name not in known:
            meant = [_setting(message, name)] if _setting(message, name) else _meant(name, [*known])
            meant = [n if n.endswith(")") else f"{n}=" for n in meant]
            return f" Did you mean {' or '.join(meant)}?" if meant else ""
        try:
            make(message.__new__(message), **{name: value})
        except (TypeError, ValueError):
            field = known[name]
            kind = _KINDS.get(field.cpp_type, "an integer")
            if field.message_type is not None:
                is_map = field.message_type.GetOptions().map_entry
                kind = "a dictionary" if is_map else f"a {field.message_type.name}"
            kind = f"a list, each {kind}" if field.is_repeated and kind != "a dictionary" else kind
            return f". {name}= takes {kind}, and got {_short(value)}"
    return ""


def _setting(message: Any, name: str) -> str:
    """How to set a field of a message, or of one of its parts; "" if there is none of the name."""
    fields = message.DESCRIPTOR.fields
    for field in fields:
        if field.name == name:
            return f"{name}=..."
    for field in fields:
        part = field.message_type
        if part is not None and not field.is_repeated and name in part.fields_by_name:
            return f"{field.name}=tf.{part.name}({name}=...)"
    return ""


def _default(argument: inspect.Parameter) -> str:
    return "" if argument.default is argument.empty else f"={_short(argument.default)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
