"""Waits of synchronous training on a cluster: whether a token, or a gradient, can still come.

Other programs have sessions there, and may do anything; but what they are needed for is known. A
token comes from the chief's queue runner, which takes gradients before; and a replica that waits
for a token gives none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tinytf.resources.contributions import GRADIENTS, TOKEN_QUEUE

_CHIEF = (
    "hooks=[optimizer.make_session_run_hook(is_chief=True)] in its MonitoredTrainingSession; or "
    "sv.start_queue_runners(sess, [optimizer.get_chief_queue_runner()]) with its Supervisor"
)
_TOKENS = (
    "the first tokens, which the hook puts in, or sess.run(optimizer.get_init_tokens_op()) in the "
    "chief"
)


class Sync:
    """What the task with the token queue tells.

    Args:
      told: "masters": of the sessions there; "wanted": how many steps wait for a token;
        "is_taken": whether the chief's runner waits for gradients; "held", "needed": how many the
        step has, and takes; "step": its number; "given": the tasks that gave.
      gone: the tasks of the cluster that do not answer.
    """

    def __init__(self, told: Mapping[str, Any], gone: Sequence[str]):
        self._told = told
        self._gone = sorted({master for master in told["masters"] if master in gone})
        self._alive = [master for master in told["masters"] if master not in gone]

    @property
    def is_over(self) -> bool:
        """Whether nobody takes the gradients that are there, or nobody can give more."""
        told = self._told
        if not told["is_taken"]:
            return bool(told["held"])
        return bool(told["held"] < told["needed"] and len(self._alive) <= told["wanted"])

    def lines(self) -> Iterator[str]:
        """The same for the reader."""
        told = self._told
        step, held, needed = told["step"], told["held"], told["needed"]
        if not told["is_taken"]:
            has = "1 gradient that nobody takes" if held == 1 else f"{held} gradients nobody takes"
            yield f"A token is put in when a step is made. Step {step} has {has}: no chief's queue"
            yield "runner makes steps. It was never started, or its program has ended. The chief,"
            yield f"and no other replica, starts it: {_CHIEF}."
            return
        of = f", of {_short(told['given'])}" if told["given"] else ""
        yield f"Step {step} has {held} of {needed} gradients{of}; who gave one waits for a token."
        if self._gone:
            gone = _short(self._gone)
            yield f"{gone} had a session and does not answer any more: start it again."
            return
        yield "The others never came, or have ended: start them, with the same graph. If there are"
        yield f"not to be more replicas, the chief has forgotten {_TOKENS}."


def is_of_sync(told: Mapping[str, Any]) -> bool:
    """Whether a wait, as a server tells of it, is for a token or for gradients."""
    name = str(told.get("on", {}).get("name", ""))
    return name == TOKEN_QUEUE or name.endswith(GRADIENTS)


def _short(tasks: Sequence[str]) -> str:
    return ", ".join(
        t.replace("/job:", "").replace("/replica:0", "").replace("/task", "") for t in tasks
    )
