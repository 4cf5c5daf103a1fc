"""`prefetch`: elements are got ready by a thread, ahead of whoever takes them."""

from __future__ import annotations

from collections import deque
from typing import Any

from tinytf.data.base import Self, int64
from tinytf.data.cards import METADATA, TYPES, dataset_op
from tinytf.data.stages import AUTOTUNE, Context, DatasetValue, Next, Stage
from tinytf.data.workers import Failed, Workers
from tinytf.framework.errors import invalid

#: With AUTOTUNE a buffer begins with so many elements, and grows up to so many.
_FIRST, _MOST = 2, 64


_SLACK = "slack_period: int = 0, legacy_autotune: bool = true, buffer_size_min: int = 0"


@dataset_op("input_dataset: variant, buffer_size: int64", TYPES, _SLACK, METADATA)
class PrefetchDataset(DatasetValue):
    """The same elements; up to `size` are ready before they are asked for.

    Raises:
      InvalidArgumentError: if `size` is below 0 and not AUTOTUNE.
    """

    def check(self) -> None:
        if self.given.buffer_size < AUTOTUNE:
            raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")

    def start(self, context: Context, stage: Stage) -> Next:
        if self.given.buffer_size == 0:
            return self.inputs[0].iterate(context, stage).next
        workers = Workers(stage, context)
        advance = self.inputs[0].iterate(workers.context, stage).next
        ahead = _Ahead(workers, advance, self.given.buffer_size)
        stage.buffer = lambda: (len(ahead.elements), ahead.limit)
        return ahead.next

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _Ahead:
    """What thread and taker share."""

    def __init__(self, workers: Workers, advance: Next, size: int):
        self.elements: deque[Any] = deque()  # the thread appends, the taker takes
        self.limit = _FIRST if size == AUTOTUNE else size
        self._grows = size == AUTOTUNE
        self._workers, self._advance = workers, advance
        self._is_started = self._is_over = False

    def _work(self) -> None:
        """The thread: fills the buffer, up to the end of the input."""
        workers, elements, advance = self._workers, self.elements, self._advance
        try:
            while not workers.is_closed:
                if len(elements) >= self.limit:
                    with workers.lock:
                        workers.wait_for_room(lambda: len(elements) < self.limit)
                    continue
                try:
                    element: Any = advance()
                except StopIteration:
                    return
                except BaseException as error:
                    element = Failed(error)
                elements.append(element)
                workers.say_ready()
        finally:
            self._is_over = True

    def next(self) -> tuple:
        elements, workers = self.elements, self._workers
        if not self._is_started:
            self._is_started = True
            workers.start(1, self._work)
        while True:
            try:
                element = elements.popleft()
            except IndexError:
                self._wait()
                continue
            if workers.are_waiting:
                workers.say_room()
            if type(element) is Failed:
                raise element.error
            return element

    def _wait(self) -> None:
        """The buffer is empty: wait for an element; StopIteration if there will be none."""
        elements, workers = self.elements, self._workers
        if self._grows:  # it was too small
            self.limit = min(2 * self.limit, _MOST)
        if not self._is_over:
            workers.wait_until_ready(lambda: elements or self._is_over)
        if self._is_over and not elements:  # in this order: it ends after its last element
            raise StopIteration


def prefetch(self: Self, buffer_size: Any, name: str | None = None) -> Self:
    """The same elements, got ready by a thread ahead of time (TensorFlow: `Dataset.prefetch`).

    So the pipeline works while the program does something else with the element before.

    Args:
      buffer_size: how many are ready at most; tf.data.AUTOTUNE or None: as many as it takes.
      name: kept in the graph.

    Raises:
      InvalidArgumentError: when it runs, for a negative size.

    Example:
      >>> tf.data.Dataset.range(3).map(lambda x: x * 2).prefetch(1)  # 0, 2, 4
    """
    size = int64(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size")
    with self._variant_tensor.graph.colocate_with(self._variant_tensor):
        return self._derived(
            PrefetchDataset.card, size, slack_period=0, legacy_autotune=True, name=name
        )
