"""A dataset whose elements are got ready by a thread, ahead of whoever takes them."""

from __future__ import annotations

from collections import deque
from typing import Any

from tinytf.data.stages import Next, Stage
from tinytf.data.value import Context, Dataset
from tinytf.data.workers import Failed, Workers
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation

AUTOTUNE = -1
#: With AUTOTUNE a buffer begins with so many elements, and grows up to so many.
_FIRST, _MOST = 2, 64


class PrefetchDataset(Dataset):
    """The same elements; up to `size` are ready before they are asked for.

    Raises:
      InvalidArgumentError: if `size` is below 0 and not AUTOTUNE.
    """

    __slots__ = ("_size",)

    def __init__(self, node: Operation, source: Dataset, size: int):
        super().__init__(node, [source])
        if size < 0 and size != AUTOTUNE:
            raise InvalidArgumentError("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")  # fmt: skip # noqa: E501
        self._size = size

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        if self._size == 0:
            return self.inputs[0].iterate(context, stage).next
        workers = Workers(stage, context)
        advance = self.inputs[0].iterate(workers.context, stage).next
        ahead = _Ahead(workers, advance, self._size)
        stage.buffer = lambda: (len(ahead.elements), ahead.limit)
        return ahead.next

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
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
        """See `stages.Next`."""
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
