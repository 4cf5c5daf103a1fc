"""`tf.train.queue_runner`: another name for what `tf.train` has."""

from tinytf.api.names import explained as _explained
from tinytf.training.queue_runner import QueueRunner, add_queue_runner, start_queue_runners

__all__ = ["QueueRunner", "add_queue_runner", "start_queue_runners"]

__getattr__ = _explained(__name__, "train.queue_runner")
