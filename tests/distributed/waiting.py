"""An operation that waits until the test lets it go on, or its step is cancelled."""

import threading

from tinytf.framework import registry
from tinytf.framework.op_card import define_op
from tinytf.framework.pending import Pending
from tinytf.framework.tensor_shape import TensorShape


class Gate:
    """The op type TestWait: passes a scalar on once the gate is open. A context manager."""

    def __init__(self):
        self.reached = threading.Event()
        self.withdrawn = threading.Event()
        self._pending = None

    def __enter__(self):
        self.card = define_op("TestWait", "x: float -> y: float", stateful=True)
        self.card.shape(lambda c: TensorShape.of(()))
        gate = self

        def wait(step, x):
            pending = Pending("the test's gate")

            def cancel():
                pending.set_error(step.cancellation.reason)
                gate.withdrawn.set()

            if step.cancellation.register(cancel) is None:
                cancel()
            gate._pending, gate._value = pending, x
            gate.reached.set()
            return pending

        self.card.kernel(wait, blocking=True)
        return self

    def __exit__(self, *exception):
        registry.unregister("TestWait")

    def open(self):
        self._pending.set_result(self._value)
