"""tf.contrib.training for a TensorFlow that has lost it: tf_slim's, and what nothing became of."""

from __future__ import annotations

import ast
import hashlib
import json
import math
from typing import Any


def training(tf: Any) -> dict[str, Any]:
    """The names of tf.contrib.training."""
    from tf_slim.training import evaluation
    from tf_slim.training import training as loops

    class GreedyLoadBalancingStrategy:
        def __init__(self, num_tasks: int, load_fn: Any):
            self.loads, self.load_fn = [0.0] * num_tasks, load_fn

        def __call__(self, op: Any) -> int:
            task = self.loads.index(min(self.loads))
            self.loads[task] += self.load_fn(op)
            return task

    def random_strategy(num_tasks: int, seed: int = 0) -> Any:
        def task(op: Any) -> int:
            key = f"{op.name}_{seed}".encode()
            return int(hashlib.md5(key).hexdigest(), 16) % num_tasks

        return task

    def byte_size_load_fn(op: Any) -> int:
        [output] = op.outputs
        return math.prod(output.shape.as_list()) * output.dtype.base_dtype.size

    return {
        **vars(evaluation),
        **vars(loops),
        "GreedyLoadBalancingStrategy": GreedyLoadBalancingStrategy,
        "HParams": HParams,
        "RandomStrategy": random_strategy,
        "byte_size_load_fn": byte_size_load_fn,
    }


class HParams:
    """Settings by name, each of the type that it had at first."""

    def __init__(self, **named: Any):
        self._kinds: dict[str, tuple[type, bool]] = {}
        for name, value in named.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """One more."""
        several = isinstance(value, list | tuple)
        self._kinds[name] = type(value[0] if several else value), several
        setattr(self, name, list(value) if several else value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Another value of its type."""
        kind, several = self._kinds[name]
        if isinstance(value, list) != several:
            raise ValueError(f"a list and no list: {name}")
        setattr(self, name, [kind(each) for each in value] if several else kind(value))

    def del_hparam(self, name: str) -> None:
        """One less."""
        if name in self:
            del self._kinds[name]
            delattr(self, name)

    def parse(self, values: str) -> HParams:
        """Set those of a text such as "rate=0.1,sizes=[3,4],sizes[0]=5,name=x"."""
        depth = 0
        parts = [""]
        for letter in values:
            depth += (letter == "[") - (letter == "]")
            parts = (
                [*parts, ""] if letter == "," and not depth else [*parts[:-1], parts[-1] + letter]
            )
        for name, _, text in (part.partition("=") for part in parts):
            name, _, index = name.strip().partition("[")
            kind = self._kinds[name][0]
            if index:
                getattr(self, name)[int(index[:-1])] = _read(kind, text)
            elif text.startswith("["):
                items = text[1:-1].split(",")
                self.set_hparam(name, [_read(kind, item) for item in items])
            else:
                self.set_hparam(name, _read(kind, text))
        return self

    def override_from_dict(self, values: dict[str, Any]) -> HParams:
        """Set those of a dictionary."""
        for name, value in values.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, text: str) -> HParams:
        """Set those of an object of JSON."""
        return self.override_from_dict(json.loads(text))

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """All as an object of JSON."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """All."""
        return {name: getattr(self, name) for name in self._kinds}

    def get(self, name: str, default: Any = None) -> Any:
        """One, or what is given for it."""
        return getattr(self, name) if name in self else default

    def __contains__(self, name: str) -> bool:
        return name in self._kinds

    def __str__(self) -> str:
        return str(sorted(self.values().items()))


def _read(kind: type, text: str) -> Any:
    text = text.strip()
    if kind is bool:
        return text.lower() in ("true", "1")
    return text if kind is str else kind(ast.literal_eval(text))
