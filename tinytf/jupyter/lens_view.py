"""Asynchronous training as it is: which version of the variables each gradient is of."""

from __future__ import annotations

from typing import Any

from tinytf.jupyter.picture import plural
from tinytf.jupyter.recording import given_session
from tinytf.training.staleness import Gradient, StalenessLog, StalenessOptimizer
from tinytf.training.sync_replicas.optimizer import SyncReplicasOptimizer

#: How many gradients can be played back.
MOST_GRADIENTS = 120
#: What there is to say at the end.
CLOSED = "The session is closed: this is how it was."


def state_of(log: StalenessLog) -> dict[str, Any]:
    """All that the browser gets of a log; see static/lens.js."""
    last = log.gradients[-MOST_GRADIENTS:]
    return {
        "headline": log.headline,
        "workers": sorted({gradient.worker for gradient in log.gradients}),
        "gradients": [_row(gradient) for gradient in last],
        "before": log.total - len(last),
        "total": log.total,
        "histogram": [list(pair) for pair in log.histogram.items()],
        "dropped": log.dropped,
        "mean": None if log.mean != log.mean else round(log.mean, 2),
    }


def _row(gradient: Gradient) -> dict[str, Any]:
    return {
        "worker": gradient.worker,
        "read": gradient.read,
        "now": gradient.now,
        "dropped": gradient.dropped,
        "text": told(gradient),
    }


def told(gradient: Gradient) -> str:
    """What happened to a gradient, in a learner's words.

    Example:
      >>> told(Gradient(worker=1, read=7, now=9))
      'Worker 1 read version 7, and its gradient changed version 9: 2 updates had come between.'
    """
    who, age = f"Worker {gradient.worker} read version {gradient.read}", gradient.staleness
    if gradient.dropped:
        late = f"{plural(age, 'update')} had come between"
        return f"{who}; when its gradient was there, {late}: too old, and dropped."
    if age == 0:
        return f"{who}, and its gradient changed just this version: it was fresh."
    between = f"{plural(age, 'update')} had come between"
    return f"{who}, and its gradient changed version {gradient.now}: {between}."


def checked(optimizer: Any, session: Any) -> tuple[Any, Any]:
    """What was given, if it can be looked at: an optimizer with a log, and a session."""
    if not isinstance(optimizer, StalenessOptimizer | SyncReplicasOptimizer):
        raise TypeError(
            f"This shows the log of a tinytf.training.staleness.StalenessOptimizer, or the steps "
            f"of a tf.train.SyncReplicasOptimizer; {optimizer!r} has none. Wrap it: "
            f"StalenessOptimizer({type(optimizer).__name__}(...), worker=0)."
        )
    session = given_session(session, "lens(optimizer, sess)")
    if session is None:
        raise ValueError("Which session has the variables? Write lens(optimizer, sess).")
    return optimizer, session
