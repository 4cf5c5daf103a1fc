"""Exercises that grade themselves: `tinytf.grading.check("ch01.ex1")`.

The answer runs in a process of its own, with a deadline and a memory limit, so that whatever it
does (loop for ever, exit, print by the megabyte) the notebook gets a mark and a reason.
"""

from tinytf.grading.authoring import Wrong, point
from tinytf.grading.check import check
from tinytf.grading.report import Report

__all__ = ["Report", "Wrong", "check", "point"]
