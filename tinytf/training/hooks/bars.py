"""Progress bars: tqdm's, or a line of text that is written over."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Protocol, TextIO

from tinytf.training.hooks import timer


class Bar(Protocol):
    """What shows progress; made with the last step or None, the first, a description, a file."""

    def show(self, step: int, last_step: int | None, values: str) -> None:
        """Show a step, and text beside it."""

    def close(self) -> None:
        """Leave what is shown; what is printed next begins on a line of its own."""


class TqdmBar:
    """A bar of tqdm's: widgets in a notebook, text in a terminal."""

    def __init__(self, last_step: int | None, step: int, description: str, file: TextIO | None):
        if file is None:
            with warnings.catch_warnings():  # without ipywidgets it shows text, and needs no advice
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm
        else:
            from tqdm import tqdm

        class Quiet(tqdm):  # type: ignore[misc,unused-ignore]
            monitor_interval = 0  # no thread that looks after bars

        self._bar = Quiet(
            desc=description or None,
            total=last_step,
            initial=step,
            unit=" steps",
            file=file,
            dynamic_ncols=True,
            mininterval=0,
            miniters=0,
        )

    def show(self, step: int, last_step: int | None, values: str) -> None:
        """See `Bar`."""
        self._bar.total = last_step
        self._bar.set_postfix_str(values, refresh=False)
        self._bar.update(step - self._bar.n)

    def close(self) -> None:
        """See `Bar`."""
        self._bar.close()


class LineBar:
    """A line like "step 120/1000 (12%), 85.3 steps/s, loss=0.43", written over by the next one."""

    def __init__(self, last_step: int | None, step: int, description: str, file: TextIO | None):
        self._first, self._begun = step, timer.clock()
        self._start = f"{description}: " if description else ""
        self._file: Any = sys.stderr if file is None else file
        self._width = 0

    def show(self, step: int, last_step: int | None, values: str) -> None:
        """See `Bar`."""
        parts = [f"step {step}"]
        if last_step:
            parts[0] += f"/{last_step} ({100 * step // last_step}%)"
        if seconds := timer.clock() - self._begun:
            parts.append(f"{max(step - self._first, 0) / seconds:.1f} steps/s")
        line = self._start + ", ".join([*parts, *filter(None, [values])])
        self._file.write("\r" + line.ljust(self._width))
        self._file.flush()
        self._width = len(line)

    def close(self) -> None:
        """See `Bar`."""
        self._file.write("\n")
        self._file.flush()
