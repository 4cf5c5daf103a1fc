"""Progress bars: tqdm's, or a line of text that is written over."""

from __future__ import annotations

import warnings
from typing import Protocol, TextIO

from tinytf.training.hooks import timer


class Bar(Protocol):
    """What shows progress."""

    def show(self, step: int, values: str) -> None:
        """Show a step, and text beside it."""

    def close(self) -> None:
        """Leave what is shown; what is printed next begins on a line of its own."""


class TqdmBar:
    """A bar of tqdm's.

    Args:
      file: a terminal; None for a notebook, where it is a widget.
      last_step: None if it has no end. first: the step that is shown first, for the speed.
      description: what is in front.
    """

    def __init__(self, file: TextIO | None, last_step: int | None, first: int, description: str):
        if file is None:
            with warnings.catch_warnings():  # without ipywidgets it shows text, and needs no advice
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm
        else:
            from tqdm import tqdm

        class Quiet(tqdm):
            monitor_interval = 0  # no thread that looks after bars

        self._bar = Quiet(
            desc=description or None,
            total=last_step,
            initial=first,
            unit=" steps",
            file=file,
            dynamic_ncols=True,
            mininterval=0,
            miniters=0,
        )

    def show(self, step: int, values: str) -> None:
        """See `Bar`."""
        self._bar.set_postfix_str(values, refresh=step == self._bar.n)
        self._bar.update(step - self._bar.n)

    def close(self) -> None:
        """See `Bar`."""
        self._bar.close()


class LineBar:
    """A line like "step 120/1000 (12%), 85.3 steps/s, loss=0.43", written over by the next one.

    Args: as of `TqdmBar`; the file may be a notebook's output.
    """

    def __init__(self, file: TextIO, last_step: int | None, first: int, description: str):
        self._file, self._last_step = file, last_step
        self._first, self._begun = first, timer.clock()
        self._start = f"{description}: " if description else ""
        self._width = 0

    def show(self, step: int, values: str) -> None:
        """See `Bar`."""
        parts = [f"step {step}"]
        if self._last_step:
            parts[0] += f"/{self._last_step} ({100 * step // self._last_step}%)"
        seconds = timer.clock() - self._begun
        if step > self._first and seconds > 0:
            parts.append(f"{(step - self._first) / seconds:.1f} steps/s")
        line = self._start + ", ".join([*parts, *filter(None, [values])])
        self._file.write("\r" + line.ljust(self._width))
        self._file.flush()
        self._width = len(line)

    def close(self) -> None:
        """See `Bar`."""
        self._file.write("\n")
        self._file.flush()
