"""A simulated cluster to play with; see `tinytf.jupyter.scaling`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import anywidget
import traitlets

from tinytf.jupyter.picture import plural
from tinytf.jupyter.scaling_picture import Curve, figure, static_figure
from tinytf.jupyter.trace import script, with_texts
from tinytf.simulation.machine import Link
from tinytf.simulation.rates import ETHERNET
from tinytf.simulation.sharding import Parameter
from tinytf.simulation.stragglers import (
    Stragglers,
    constant,
    exponential,
    lognormal,
    slow_worker,
)
from tinytf.simulation.training_cluster import MOST_WORKERS, TrainingCluster
from tinytf.simulation.training_loop import simulate_training
from tinytf.simulation.training_result import BOTTLENECKS, Training

REMARK = (
    "Nothing of this has run: it is a model of a cluster, with a seed. A speed-up counts the "
    "images a second beside those of one machine that computes without a network. "
    "Diamonds are published "
    "speed-ups of other systems, each with its own model and network. docs/scaling.md has what the "
    "model says of published clusters, and what it is off by."
)
_TRACED = 6
#: Worker-steps of one simulation: enough to be steady, few enough to answer at once.
_WORK = 1500


@dataclass(frozen=True, slots=True)
class Field:
    """Something of the cluster that can be chosen.

    Attributes:
      key, name: for the program and for people. kind: "slider", "select" or "choices".
      options: text -> the value that it stands for.
    """

    key: str
    name: str
    kind: str
    options: Mapping[str, Any]

    def at(self, value: Any) -> int:
        """The number of the option that stands for a value, or lies next to it.

        Raises:
          ValueError: if there is none.
        """
        values = list(self.options.values())
        if value in values:
            return values.index(value)
        texts = list(self.options)
        if isinstance(value, str) and value in texts:
            return texts.index(value)
        if self.kind == "slider" and isinstance(value, int | float) and value == value:
            return min(range(len(values)), key=lambda n: abs(values[n] - value))
        raise ValueError(
            f"scaling: {self.key}={value!r} cannot be chosen; there are {', '.join(texts)}"
        )


def _counts(*values: int) -> dict[str, int]:
    return {f"{value:,}": value for value in values}


_WORKERS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 50, 64, 100, 128, 200, 256, 350, 500, 700, 900)
_SPREADS: dict[str, Stragglers] = {
    "all alike": constant(),
    "a little (lognormal, 0.1)": lognormal(0.1),
    "some (lognormal, 0.2)": lognormal(0.2),
    "much (lognormal, 0.5)": lognormal(0.5),
    "a long tail (exponential, 0.3)": exponential(0.3),
    "one machine is 3 times as slow": slow_worker(3.0),
}
_MODELS: dict[str, tuple[Parameter, ...]] = {
    "100 thousand numbers": (Parameter("weights", 100_000),),
    "1 million": (Parameter("weights", 1_000_000),),
    "10 million": (Parameter("weights", 10_000_000),),
    "24 million": (Parameter("weights", 24_000_000),),
    "100 million": (Parameter("weights", 100_000_000),),
    "1 billion, sparse: 1 in 1,000 is touched": (Parameter("embedding", 1_000_000_000, 1_000_000),),
}
FIELDS = (
    Field("workers", "Workers", "slider", _counts(*_WORKERS)),
    Field("ps", "Parameter servers", "slider", _counts(1, 2, 4, 8, 16, 32, 64, 100)),
    Field("backup", "Backup workers", "slider", _counts(*range(11), 20, 50)),
    Field("mode", "Training", "choices", {"synchronous": True, "asynchronous": False}),
    Field("stragglers", "How machines differ", "select", _SPREADS),
    Field("model", "The model", "select", _MODELS),
    Field("bits", "Numbers travel as", "choices", {"32 bits": 32, "16 bits": 16}),
    Field(
        "bandwidth",
        "A network card, Gbit/s",
        "slider",
        {f"{g:g}": g * 1.25e8 for g in (0.1, 1, 10, 25, 100)},
    ),
    Field(
        "compute",
        "Computing of a step",
        "slider",
        {"1 ms": 0.001, "10 ms": 0.01, "100 ms": 0.1, "300 ms": 0.3, "1 s": 1.0, "3 s": 3.0},
    ),
    Field("published", "Published speed-ups", "choices", {"hidden": False, "shown": True}),
)
_BY_KEY = {field.key: field for field in FIELDS}
DEFAULTS = {
    "workers": 50,
    "ps": 8,
    "backup": 0,
    "mode": "synchronous",
    "stragglers": "some (lognormal, 0.2)",
    "model": "24 million",
    "bits": 32,
    "bandwidth": "10",
    "compute": 1.0,
    "published": True,
}


class ScalingWidget(anywidget.AnyWidget):
    """A simulated training with all that it depends on to choose.

    Attributes:
      settings: the number of the chosen option, by `Field.key`; may be set from Python.
      content: the drawings, and a sentence. training: what was simulated.
    """

    _esm = script("page.js", "scaling.js")
    _css = script("theme.css", "player.css", "choices.css", "scaling.css")
    fields: Any = traitlets.List().tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)
    content = traitlets.Dict().tag(sync=True)
    remark = traitlets.Unicode(REMARK).tag(sync=True)
    training: Training

    def __init__(self, settings: Mapping[str, int]):
        self._number = 0
        self._curve = Curve((), _training(settings))
        fields = [
            {"key": f.key, "name": f.name, "kind": f.kind, "options": list(f.options)}
            for f in FIELDS
        ]
        super().__init__(fields=fields, settings=dict(settings))
        self._simulate()
        self.observe(lambda change: self._simulate(), names=["settings"])

    @traitlets.validate("settings")
    def _check(self, proposal: Any) -> dict[str, int]:
        """What a page sends is taken only if it can be chosen."""
        given = proposal["value"]
        return {
            field.key: min(max(0, int(given.get(field.key, 0))), len(field.options) - 1)
            for field in FIELDS
        }

    def _simulate(self) -> None:
        self.training = _training(self.settings)
        self._curve = Curve(_points(self.training.cluster), self.training)
        self._number += 1
        self.content = {
            "html": figure(self._curve, self._is_compared),
            "text": sentence(self.training),
            "number": self._number,
        }

    @property
    def _is_compared(self) -> bool:
        return bool(_chosen(self.settings)["published"])

    @property
    def cluster(self) -> TrainingCluster:
        """What was simulated."""
        return self.training.cluster

    def __repr__(self) -> str:
        points = ", ".join(f"{n}: {value:.3g}" for n, value in self._curve.points)
        return f"Simulated. {sentence(self.training)}\nSpeed-up by workers: {points}."

    def as_html(self) -> str:
        """The drawings, for pages where widgets do not run."""
        text = f"Simulated. {sentence(self.training)}"
        return static_figure(self._curve, self._is_compared, text)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return with_texts(super()._repr_mimebundle_(**kwargs), repr(self), self.as_html())


def scaling(**chosen: Any) -> ScalingWidget:
    """See `tinytf.jupyter.scaling`."""
    unknown = sorted(chosen.keys() - _BY_KEY.keys())
    if unknown:
        raise ValueError(
            f"scaling: {', '.join(unknown)} cannot be chosen; there are {', '.join(_BY_KEY)}"
        )
    wanted = DEFAULTS | chosen
    return ScalingWidget({key: field.at(wanted[key]) for key, field in _BY_KEY.items()})


def sentence(training: Training) -> str:
    """What came out, and what is the bottleneck, in words."""
    cluster = training.cluster
    backup = f" and {plural(cluster.backup, 'backup worker')}" if cluster.backup else ""
    train = "train" if cluster.workers > 1 or backup else "trains"
    text = (
        f"{plural(cluster.workers, 'worker')}{backup} {train} {training.speed_up:.3g} times as "
        f"fast as one machine: {training.images_per_second:,.0f} images a second. "
    )
    if not cluster.synchronous:
        text += f"A gradient misses {training.mean_staleness:.3g} updates on average. "
    return text + BOTTLENECKS[training.bottleneck]


def _chosen(settings: Mapping[str, int]) -> dict[str, Any]:
    return {key: list(f.options.values())[settings[key]] for key, f in _BY_KEY.items()}


def _training(settings: Mapping[str, int]) -> Training:
    given = _chosen(settings)
    latency, _, handling = ETHERNET
    cluster = TrainingCluster(
        workers=given["workers"],
        ps=given["ps"],
        compute=given["compute"],
        parameters=given["model"],
        link=Link(latency, given["bandwidth"], handling),
        bits=given["bits"],
        stragglers=given["stragglers"],
        synchronous=given["mode"],
        backup=given["backup"] if given["mode"] else 0,
    )
    return simulate_training(cluster, _steps(cluster.running), traced=_TRACED)


def _steps(workers: int) -> int:
    return max(5, min(60, math.ceil(_WORK / workers)))


def _points(cluster: TrainingCluster) -> tuple[tuple[int, float], ...]:
    """The speed-up with other numbers of workers, all else being the same."""
    found: list[tuple[int, float]] = []
    wanted: Sequence[int] = (1, 2, 4, 8, 16, 32, 64, 125, 250, 500, MOST_WORKERS - cluster.backup)
    for workers in wanted:
        result = simulate_training(replace(cluster, workers=workers), _steps(workers) // 3 + 3)
        found.append((result.cluster.running, result.speed_up))
    return tuple(found)
