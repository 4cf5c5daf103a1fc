"""Which GPUs a program sees, and in which order: CUDA's rules, then TensorFlow's."""

from __future__ import annotations

import os
import re
from typing import Any

from tinytf.devices import asking
from tinytf.framework.errors import InvalidArgumentError

VARIABLE = "CUDA_VISIBLE_DEVICES"
_NUMBER = re.compile(r"\s*([+-]?\d+)")


def by_environment(value: str | None, count: int) -> list[int]:
    """The GPUs that CUDA shows to a program, from the value of CUDA_VISIBLE_DEVICES.

    The list ends before the first entry that names no GPU; a GPU that is named twice hides all.

    Args:
      value: the text, None if the variable is not set. count: how many GPUs there are.

    Example:
      >>> tinytf.devices.visible.by_environment("2,0,7,1", 4)
      [2, 0]
      >>> tinytf.devices.visible.by_environment("", 4)
      []
    """
    if value is None:
        return list(range(count))
    found: list[int] = []
    for entry in value.split(","):
        match = _NUMBER.match(entry)
        index = int(match[1]) if match else -1
        if not 0 <= index < count:
            break
        if index in found:
            return []
        found.append(index)
    return found


def by_options(config: Any, count: int) -> list[int]:
    """The GPUs that a session uses, as positions among those that CUDA shows.

    Args:
      config: a `ConfigProto`: `gpu_options.visible_device_list` chooses and orders them,
        `device_count["GPU"]` says how many at most.
      count: how many GPUs CUDA shows.

    Raises:
      InvalidArgumentError: for a list that names what is not there.

    Example:
      >>> config = tf.ConfigProto(device_count={"GPU": 1})
      >>> config.gpu_options.visible_device_list = "1,0"
      >>> tinytf.devices.visible.by_options(config, 2)
      [1]
    """
    wanted = dict(config.device_count)
    most = wanted.get("GPU", count)
    if most <= 0:
        return []
    text = config.gpu_options.visible_device_list
    found = _listed(text, count) if text else list(range(count))
    return found[:most]


def _listed(text: str, count: int) -> list[int]:
    found: list[int] = []
    for entry in text.split(","):
        if not re.fullmatch(r"\s*[+-]?\d+\s*", entry):
            raise InvalidArgumentError(
                f"Could not parse entry in 'visible_device_list': '{entry}'. visible_device_list "
                f'= {text}. It is a list of numbers, "1,0" for example.'
            )
        index = int(entry)
        if not 0 <= index < count:
            there = f"from 0 to {count - 1}" if count > 1 else ("only 0" if count else "none")
            raise InvalidArgumentError(
                f"'visible_device_list' listed an invalid GPU id '{index}' but visible device "
                f"count is {count} ({there}; {VARIABLE} chooses first, and these are counted anew)"
            )
        found.append(index)
    if len(set(found)) < len(found):
        raise InvalidArgumentError(f"visible_device_list contained a duplicate entry: {text}")
    return found


def why_hidden(seen: int) -> str:
    """Why a session has fewer simulated GPUs than this process asks for; "" if it has them all.

    Args:
      seen: how many GPUs the session has.

    Example:
      >>> tinytf.devices.visible.why_hidden(0)
      ''
    """
    try:
        wish = asking.asked()
    except ValueError:
        return ""  # sessions of this process cannot be opened any more, and say why
    if wish is None or wish.count <= seen:
        return ""
    value = os.environ.get(VARIABLE)
    shown = len(by_environment(value, wish.count))
    if shown <= seen:
        counted = f", counted anew, from '/gpu:0' to '/gpu:{shown - 1}'" if shown > 1 else ""
        counted = ", which is '/gpu:0' here, whatever its number" if shown == 1 else counted
        return f"{VARIABLE}={value!r} shows {shown} of the {wish.count} simulated GPUs{counted}."
    number = "is 1 simulated GPU" if wish.count == 1 else f"are {wish.count} simulated GPUs"
    return (
        f"There {number}, but not in this session: open a new one. A "
        f"session keeps the devices it had when it was opened; device_count and "
        f"visible_device_list of its tf.ConfigProto may leave GPUs out, too."
    )
