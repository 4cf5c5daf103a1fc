"""`tf.contrib.training.HParams`: the settings of a program, which a flag can change.

TensorFlow 1.15: contrib/training/python/training/hparam.py.
"""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Mapping
from typing import Any

#: One setting in a text: name, perhaps [index], =, and a list or a value up to the next comma.
_SETTING = re.compile(
    r"(?P<name>[a-zA-Z][\w.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"(\[(?P<list>[^\]]*)\]|(?P<value>[^,\[]*))\s*($|,\s*)"
)


class HParams:
    """Settings with names, types and values; each is an attribute.

    Args:
      kwargs: the settings: numbers, bools, strings, or lists of one of them.

    Raises:
      ValueError: for an empty list, or a name that the class has itself.

    Example:
      >>> settings = tf.contrib.training.HParams(rate=0.1, layers=[16, 8], name="net")
      >>> settings.parse("rate=0.5,layers=[4,4,2]").values()
      {'layers': [4, 4, 2], 'name': 'net', 'rate': 0.5}
      >>> settings.rate
      0.5
    """

    def __init__(self, *, model_structure: Any = None, **kwargs: Any):
        self._model_structure = model_structure
        self._types: dict[str, tuple[type, bool]] = {}
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a setting.

        Args:
          name, value: see above; the type of the value is that of all later values.

        Raises:
          ValueError: for an empty list, or a name that is taken.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, list | tuple):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._types[name] = type(value[0]), True
        else:
            self._types[name] = type(value), False
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Give a setting another value, of its type.

        Args:
          name, value: of a setting that there is.

        Raises:
          KeyError: if there is no such setting. ValueError: if the value does not fit.
        """
        kind, is_list = self._types[name]
        if isinstance(value, list) != is_list:
            what = (
                "pass a list for multi-valued" if is_list else "not pass a list for single-valued"
            )
            raise ValueError(
                f"Must {what} parameter: {name}. It is {getattr(self, name)!r}; got {value!r}."
            )
        found = [_cast(name, kind, one) for one in (value if is_list else [value])]
        setattr(self, name, found if is_list else found[0])

    def del_hparam(self, name: str) -> None:
        """Remove a setting, if it is there.

        Args:
          name: its name.
        """
        if hasattr(self, name):
            delattr(self, name)
            del self._types[name]

    def parse(self, values: str) -> HParams:
        """Change settings as a text says: "rate=0.5,layers=[4,2],layers[0]=8".

        Args:
          values: the text, as a flag gives it.

        Raises:
          ValueError: for an unknown setting, a value of another type, or what cannot be read.
        """
        position = 0
        while position < len(values):
            found = _SETTING.match(values, position)
            if not found:
                raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
            self._change(found["name"], found["index"], found["list"], found["value"])
            position = found.end()
        return self

    def _change(self, name: str, index: str | None, items: str | None, value: str) -> None:
        if name not in self._types:
            raise ValueError(
                f"Unknown hyperparameter type for {name}. There are: {', '.join(self._types)}."
            )
        kind, _ = self._types[name]
        if items is not None:
            texts = [one.strip() for one in items.split(",") if one.strip()]
            self.set_hparam(name, [_read(name, kind, one) for one in texts])
        elif index is not None:
            changed = list(getattr(self, name))
            changed[int(index)] = _read(name, kind, value)
            self.set_hparam(name, changed)
        else:
            self.set_hparam(name, _read(name, kind, value.strip()))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Change settings as a dictionary says.

        Args:
          values_dict: name -> value.

        Raises:
          KeyError, ValueError: as `set_hparam`.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> HParams:
        """Change settings as JSON says.

        Args:
          values_json: an object.

        Raises:
          KeyError, ValueError: as `set_hparam`; if it is no JSON.
        """
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """All settings as JSON.

        Args:
          indent, separators, sort_keys: as of `json.dumps`.
        """
        return json.dumps(
            {name: value for name, value in self.values().items() if not callable(value)},
            indent=indent,
            separators=separators,
            sort_keys=sort_keys,
        )

    def values(self) -> dict[str, Any]:
        """All settings, by name."""
        return {name: getattr(self, name) for name in sorted(self._types)}

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a setting, or a default if there is no such setting.

        Args:
          key: its name. default: see above; of the setting's type.

        Raises:
          ValueError: for a default of another type.
        """
        if key not in self._types:
            return default
        kind, is_list = self._types[key]
        if default is not None:
            if isinstance(default, list) != is_list:
                raise ValueError(
                    f"Hparam '{key}' of type '{kind}' is incompatible with default={default}"
                )
            for one in default if is_list else [default]:
                _cast(key, kind, one)
        return getattr(self, key)

    def get_model_structure(self) -> Any:
        """What was given as `model_structure`."""
        return self._model_structure

    def set_model_structure(self, model_structure: Any) -> None:
        """Keep anything with the settings.

        Args:
          model_structure: anything.
        """
        self._model_structure = model_structure

    def __contains__(self, key: str) -> bool:
        return key in self._types

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"HParams({self})"


def _read(name: str, kind: type, text: str) -> Any:
    """The value of a text."""
    if kind is bool and text.lower() in ("true", "1", "false", "0"):
        return text.lower() in ("true", "1")
    try:
        return text if kind in (bool, str) else kind(text)
    except ValueError:
        raise ValueError(
            f"Could not parse hparam {name} of type '{kind.__name__}' in \"{text}\""
        ) from None


def _cast(name: str, kind: type, value: Any) -> Any:
    """A value as this type, if nothing is lost by it."""
    fits = (
        kind is type(None)
        or isinstance(value, kind)
        or (kind is str and isinstance(value, bytes))
        or (kind is int and isinstance(value, numbers.Integral))
        or (kind is float and isinstance(value, numbers.Number))
    )
    if not fits or (kind in (int, float) and isinstance(value, bool)):
        raise ValueError(
            f"Could not cast hparam '{name}' of type '{kind.__name__}' from value {value!r}"
        )
    if isinstance(value, bytes):
        return value.decode()
    return value if kind is type(None) else kind(value)
