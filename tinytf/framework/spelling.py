"""Names that are nearly right: which was meant."""

from __future__ import annotations

from collections.abc import Collection


def did_you_mean(name: str, known: Collection[str], ending: str = "") -> str:
    """A question that names up to three of the known names, or "" if none is like this one.

    Args:
      name: what was asked for; it may lack the scope ("loss" for "train/loss").
      known: all names there are. ending: put behind each name, ":0" for tensors.

    Example:
      >>> did_you_mean("los", ["train/loss", "x"])
      " Did you mean 'train/loss'?"
    """
    import difflib

    in_scope = {each.rpartition("/")[2]: each for each in known}
    near = [in_scope[name]] if name in in_scope else []
    near = near or difflib.get_close_matches(name, known, n=3)
    near = near or [in_scope[last] for last in difflib.get_close_matches(name, in_scope, n=3)]
    return f" Did you mean {', '.join(repr(each + ending) for each in near)}?" if near else ""
