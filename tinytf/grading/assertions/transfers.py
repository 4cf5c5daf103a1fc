"""`count_sends`, `moves_at_most`: what travels from device to device in a step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from tinytf.devices.asking import readable
from tinytf.framework.stacks import default_sessions
from tinytf.grading.assertions.placing import is_on, short, wanted_device
from tinytf.grading.authoring import Wrong
from tinytf.protos import config_pb2
from tinytf.runtime import schedule

#: How the trace of a step labels what arrives.
_ARRIVED = re.compile(r"\[(\d+)B\] edge_\d+_(\S+) from (\S+) to (\S+)\Z")
_MOST_NAMED = 6


class Transfer(NamedTuple):
    """What was sent once: a tensor's name, or "^name" for a control dependency, which has no bytes.

    Attributes:
      name: see above. source, target: full names of devices. bytes: of its value.

    Example:
      >>> print(tinytf.grading.Transfer("x:0", "/device:CPU:0", "/device:GPU:0", 4096))
      x:0 (CPU:0 → GPU:0, 4 KiB)
    """

    name: str
    source: str
    target: str
    bytes: int

    def __str__(self) -> str:
        size = "" if self.name.startswith("^") else f", {readable(self.bytes)}"
        return f"{self.name} ({short(self.source)} → {short(self.target)}{size})"


def transfers(
    fetches: Any,
    sess: Any = None,
    feed_dict: Any = None,
    between: tuple[str | None, str | None] | None = None,
) -> list[Transfer]:
    """What one step sends from device to device, the largest first.

    Args:
      fetches, feed_dict: the step. sess: the session; default: the default one.
      between: (source, target), parts of device names, None for any: only what goes from the one
        to the other.

    Raises:
      ValueError: without a session, or for what names no device. RuntimeError: inside of
        `run_with_seed`, where steps leave no trace. What `Session.run` raises.

    Example:
      >>> tinytf.grading.transfers(tf.add(1.0, 2.0), sess)
      []
    """
    sess = sess or default_sessions.top()
    if sess is None:
        raise ValueError("There is no default session to run the step in: pass one, sess=...")
    if schedule.current() is not None:
        raise RuntimeError("Count transfers outside of run_with_seed: a step there is not traced.")
    source, target = (None if end is None else wanted_device(end) for end in between or (None,) * 2)
    seen = config_pb2.RunMetadata()
    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
    sess.run(fetches, feed_dict, options, seen)
    labels = (n.timeline_label for part in seen.step_stats.dev_stats for n in part.node_stats)
    found = [
        Transfer(match[2], match[3], match[4], int(match[1]))
        for match in map(_ARRIVED.match, labels)
        if match is not None
        and (source is None or is_on(match[3], source))
        and (target is None or is_on(match[4], target))
    ]
    return sorted(found, key=lambda t: (-t.bytes, t.name, t.source, t.target))


def count_sends(
    fetches: Any,
    expected: int,
    sess: Any = None,
    feed_dict: Any = None,
    *,
    between: tuple[str | None, str | None] | None = None,
    signals: bool = True,
    hint: str = "",
) -> None:
    """One step sends so many times from device to device.

    The step runs once, traced. A tensor goes to a device once, however many operations use it
    there; once more for each iteration of a loop; what a branch of `tf.cond` that was not taken
    would send does not count. What is fed comes from the first CPU and what is fetched goes there,
    except on a cluster, where the master and the client see to that.

    Args:
      fetches, feed_dict: the step. expected: how many. sess: default: the default session.
      between: (source, target), devices or parts of their names, None for any.
      signals: whether control dependencies count, which send news and no value.
      hint: what to think about.

    Raises:
      Wrong: listing what was sent. The others: see `transfers`.

    Example:
      >>> tinytf.grading.count_sends(tf.add(1.0, 2.0), 0, sess)
      >>> try:
      ...     tinytf.grading.count_sends(tf.add(1.0, 2.0), 1, sess)
      ... except tinytf.grading.Wrong as wrong:
      ...     print(wrong)
      One step sends another number of times; expected 1, got 0
    """
    found = transfers(fetches, sess, feed_dict, between)
    if not signals:
        found = [each for each in found if not each.name.startswith("^")]
    if len(found) != expected:
        listed = f"{len(found)}: {_listed(found)}" if found else "0"
        text = "One step sends another number of times" + _route(between)
        raise Wrong(text, str(expected), listed, hint=hint)


def moves_at_most(
    most: int,
    fetches: Any,
    sess: Any = None,
    feed_dict: Any = None,
    *,
    between: tuple[str | None, str | None] | None = None,
    hint: str = "",
) -> None:
    """One step sends at most so many bytes from device to device.

    Args:
      most: bytes of values; what is around them in messages does not count.
      fetches, feed_dict, sess, between: as for `count_sends`. hint: what to think about, instead
        of what is largest.

    Raises:
      Wrong: listing what was sent, the largest first. The others: see `transfers`.

    Example:
      >>> tinytf.grading.moves_at_most(0, tf.add(1.0, 2.0), sess)
    """
    found = transfers(fetches, sess, feed_dict, between)
    total = sum(each.bytes for each in found)
    if total > most:
        raise Wrong(
            f"One step sends too much{_route(between)}",
            f"at most {most} bytes",
            f"{total} bytes: {_listed(found)}",
            hint=hint or f"can {found[0].name} be made smaller where it is, before it is sent?",
        )


def _route(between: tuple[str | None, str | None] | None) -> str:
    if between is None:
        return ""
    source, target = (end or "any device" for end in between)
    return f" from {source} to {target}"


def _listed(found: Iterable[Transfer]) -> str:
    texts = list(map(str, found))
    more = f" and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
    return ", ".join(texts[:_MOST_NAMED]) + more
