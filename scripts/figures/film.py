"""Animation for a figure: what changes, and when, as CSS that any browser plays from a file.

A film is a loop. What a part of the picture does is given as stops, (second, value); between them
it moves evenly. For readers who want no motion every part has the value of one moment, `still`.
"""

from __future__ import annotations

from collections.abc import Sequence

from canvas import Figure, number

#: (second, value): a number, numbers, a colour or another word of CSS.
Stops = Sequence[tuple[float, float | tuple[float, ...] | str]]
#: Seconds at the end of the loop in which everything goes back to how it began.
BACK = 0.5
#: How long a change of a colour, or of what is written somewhere, takes.
SOON = 0.12

_FORMS = {"translate": "translate({}px,{}px)", "widen": "scaleX({})", "grow": "scale({})"}


class Film(Figure):
    """A figure that moves. `length` and `still` are set, in seconds, before anything is drawn."""

    length, still = 10.0, 5.0

    def moving(self, **changes: Stops) -> str:
        """The attributes of a part of the picture that changes so: a property, its stops."""
        self._rules: dict[str, str]
        rules = self.__dict__.setdefault("_rules", {})
        names, now = [], []
        for what, stops in changes.items():
            form = _FORMS.get(what)
            prop = "transform" if form else what.replace("_", "-")
            frames = self._frames(prop, form, stops)
            names.append(rules.setdefault(frames, f"k{len(rules)}"))
            now.append(f"{prop}:{_written(form, _value(stops, self.still))}")
        return f'class="m" style="animation-name:{",".join(names)};{";".join(now)}"'

    def _frames(self, prop: str, form: str | None, stops: Stops) -> str:
        first, last = stops[0][1], stops[-1][1]
        whole = [(0.0, first), *stops, (self.length - BACK, last), (self.length, first)]
        texts: list[list[str]] = []  # [time, ..., value]: neighbours that are equal share a rule
        for second, value in whole:
            at = f"{_short(100 * second / self.length)}%"
            value_then = _written(form, value)
            if texts and texts[-1][-1] == value_then:
                texts[-1].insert(-1, at)
            else:
                texts.append([at, value_then])
        return "".join(
            f"{','.join(dict.fromkeys((ats[0], ats[-1])))}{{{prop}:{value}}}"
            for *ats, value in texts
        )

    def _style(self) -> str:
        rules = self.__dict__.get("_rules", {})
        frames = "".join(f"@keyframes {name}{{{rule}}}\n" for rule, name in rules.items())
        always = f".m {{ animation: {number(self.length)}s linear infinite; }}\n"
        return (
            f"{super()._style()}{always}{frames}"
            "@media (prefers-reduced-motion: reduce) { .m { animation: none !important; } }\n"
        )


def turning(changes: Stops) -> Stops:
    """Stops of what turns from one value to the next soon after each given second."""
    stops = [(0.0, changes[0][1])]
    for second, value in changes[1:]:
        begin = max(second, stops[-1][0])
        stops += [(begin, stops[-1][1]), (begin + SOON, value)]
    return stops


def between(start: float, end: float) -> Stops:
    """Stops of the opacity of what is there from `start` to `end`."""
    shown: list[tuple[float, float]] = [(0.0, 0.0), (start, 0.0), (start + SOON, 1.0)]
    if start <= 0:
        shown = [(0.0, 1.0)]
    return [*shown, (end, 1.0), (end + SOON, 0.0)]


def _written(form: str | None, value: float | tuple[float, ...] | str) -> str:
    if isinstance(value, str):
        return value
    values = value if isinstance(value, tuple) else (value,)
    texts = [_short(one) for one in values]
    return form.format(*texts) if form else " ".join(texts)


def _short(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _value(stops: Stops, second: float) -> float | tuple[float, ...] | str:
    """What stands in the stops for a moment; of words the last one."""
    before, value = 0.0, stops[0][1]
    for then, following in stops:
        if then > second:
            if isinstance(value, str) or isinstance(following, str) or then <= before:
                return value
            part = (second - before) / (then - before)
            if isinstance(value, tuple) and isinstance(following, tuple):
                return tuple(a + part * (b - a) for a, b in zip(value, following, strict=True))
            assert isinstance(value, int | float)
            assert isinstance(following, int | float)
            return value + part * (following - value)
        before, value = then, following
    return value
