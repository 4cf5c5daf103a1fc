"""The chief's queue runner: it makes the steps of synchronous training, and looks at who gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinytf.framework.errors import OpError
from tinytf.session.repeating import Repeated
from tinytf.training.queue_runner import QueueRunner
from tinytf.training.sync_replicas.contributions import contributions

if TYPE_CHECKING:
    from tinytf.training.sync_replicas.optimizer import SyncReplicasOptimizer

#: After so many steps it is looked for the first time, then after twice as many, and so on; in the
#: end once in so many steps.
_FIRST_LOOK, _EVERY = 16, 1024


class ChiefQueueRunner(QueueRunner):
    """Takes the gradients of a step, applies their mean, puts tokens in; for ever.

    When the training ends, it waits for gradients that nobody will give, which closing the token
    queue does not change. So no coordinator waits for its thread, which ends with its session.

    Now and then it looks at who gave the gradients, and prints once what is not well.

    Args:
      optimizer: whose steps it makes. queue: of the tokens. sync_op: what makes a step.
    """

    _is_waited_for = False

    def __init__(self, optimizer: SyncReplicasOptimizer, queue: Any, sync_op: Any):
        super().__init__(queue, [sync_op])
        self._optimizer = optimizer

    @property
    def advice(self) -> str:
        """What the chief is to type to have it run."""
        return (
            "optimizer.get_chief_queue_runner().create_threads(sess, coord=coord, daemon=True, "
            "start=True); in the chief's MonitoredTrainingSession "
            "hooks=[optimizer.make_session_run_hook(is_chief=True)] does it"
        )

    def _repeated(self, sess: Any, op: Any) -> Any:
        return _Watched(self._optimizer, sess, op)


class _Watched(Repeated):
    """The steps, each followed by a look if it is time for one."""

    def __init__(self, optimizer: SyncReplicasOptimizer, sess: Any, op: Any):
        super().__init__(sess, op)
        self._of = optimizer, sess
        self._made, self._next = 0, _FIRST_LOOK
        self._told: set[str] = set()

    def __call__(self) -> None:
        super().__call__()
        self._made += 1
        if self._made == self._next:
            self._next += min(self._next, _EVERY)
            self._look()

    def _look(self) -> None:
        try:
            found = contributions(*self._of)
        except OpError:
            return  # a TensorFlow's server does not tell; of one that is gone, the next step will
        for kind, text in found.remarks.items():
            if kind not in self._told:
                self._told.add(kind)
                print(f"{text}\n{_MORE}", flush=True)


_MORE = (
    "Who gives to which step: print(tinytf.training.sync_replicas.contributions(optimizer, sess))"
)
