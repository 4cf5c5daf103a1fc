"""The chief's queue runner: it makes the steps of synchronous training."""

from __future__ import annotations

from tinytf.training.queue_runner import QueueRunner


class ChiefQueueRunner(QueueRunner):
    """Takes the gradients of a step, applies their mean, puts tokens in; for ever.

    When the training ends, it waits for gradients that nobody will give, which closing the token
    queue does not change. So no coordinator waits for its thread, which ends with its session.
    """

    _is_waited_for = False

    @property
    def advice(self) -> str:
        """What the chief is to type to have it run."""
        return (
            "hooks=[optimizer.make_session_run_hook(is_chief=True)] in the chief's "
            "MonitoredTrainingSession; or sv.start_queue_runners(sess, "
            "[optimizer.get_chief_queue_runner()])"
        )
