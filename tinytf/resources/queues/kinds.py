"""The four kinds of queues: how each of them stores its elements.

Elements move in single calls of C code, `extend(islice(pops, count))` where `pops` takes one
element after the other from the store: Ctrl-C comes before or after, and nothing is lost.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import count as numbers
from itertools import islice, repeat
from typing import Any

from tinytf.resources.queues.elements import Element
from tinytf.resources.queues.queue import Queue

#: Is never in a queue.
_NEVER = object()
_do_all = deque[None](maxlen=0).extend


class FIFOQueue(Queue):
    """First in, first out. TensorFlow: core/kernels/fifo_queue.cc."""

    kind = "FIFOQueue"

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self._elements: deque[Element] = deque()
        self._pops = iter(self._elements.popleft, _NEVER)

    def _count(self) -> int:
        return len(self._elements)

    def _put_one(self, element: Element) -> None:
        self._elements.append(element)

    def _put(self, source: deque[Element], count: int) -> None:
        self._elements.extend(islice(iter(source.popleft, _NEVER), count))

    def _take_one(self) -> Element:
        return self._elements.popleft()

    def _take(self, target: list[Element], count: int) -> None:
        target.extend(islice(self._pops, count))

    def _give_back(self, source: list[Element]) -> None:
        self._elements.extendleft(islice(iter(source.pop, _NEVER), len(source)))

    def _contents(self) -> list[Element]:
        return list(self._elements)


class PaddingFIFOQueue(FIFOQueue):
    """First in, first out; smaller elements of a batch are filled up with zeros.

    TensorFlow: core/kernels/padding_fifo_queue.cc.
    """

    kind = "PaddingFIFOQueue"

    def _batch(self, elements: list[Element]) -> tuple[Any, ...]:
        return self.signature.padded(elements)


class RandomShuffleQueue(Queue):
    """Elements leave in random order.

    Args:
      min_after_dequeue: how many stay, until the queue is closed, to choose from.
      draw: gives random whole numbers of 32 bits; with the seeds' own sequence the order is
        TensorFlow's. seeds: of that sequence; (0, 0) if it is nobody's.

    TensorFlow: core/kernels/random_shuffle_queue_op.cc.
    """

    kind = "RandomShuffleQueue"

    def __init__(
        self,
        *arguments: Any,
        min_after_dequeue: int,
        draw: Callable[[], int],
        seeds: tuple[int, int] = (0, 0),
    ):
        super().__init__(*arguments)
        self._elements: list[Element] = []
        self._pops = iter(self._elements.pop, _NEVER)
        self.min_after_dequeue = min_after_dequeue
        self.seeds = seeds
        self._draw = draw

    def _count(self) -> int:
        return len(self._elements)

    def _available(self) -> int:
        keep = 0 if self._closed else self.min_after_dequeue
        return max(len(self._elements) - keep, 0)

    def _put_one(self, element: Element) -> None:
        self._elements.append(element)

    def _put(self, source: deque[Element], count: int) -> None:
        self._elements.extend(islice(iter(source.popleft, _NEVER), count))

    def _take_one(self) -> Element:
        self._choose(1)
        return self._elements.pop()

    def _take(self, target: list[Element], count: int) -> None:
        self._choose(count)
        target.extend(islice(self._pops, count))

    def _choose(self, count: int) -> None:
        """Put so many that were drawn at the end, the first one last."""
        elements, draw = self._elements, self._draw
        for left in range(len(elements), len(elements) - count, -1):
            index, last = draw() % left, left - 1
            elements[index], elements[last] = elements[last], elements[index]

    def _give_back(self, source: list[Element]) -> None:
        self._elements.extend(islice(iter(source.pop, _NEVER), len(source)))

    def _contents(self) -> list[Element]:
        return list(self._elements)

    def describe(self) -> str:
        text = super().describe()
        if self.min_after_dequeue and not self._closed:
            text += f", of which {self.min_after_dequeue} stay (min_after_dequeue)"
        return text


class PriorityQueue(Queue):
    """The element with the smallest first component leaves first; equal ones in their order.

    TensorFlow (whose order of equal ones is not defined): core/kernels/priority_queue.cc.
    """

    kind = "PriorityQueue"
    takes_as_they_come = False

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self._heap: list[tuple[int, int, Element]] = []
        self._numbers = numbers()
        self._pops = iter(partial(heapq.heappop, self._heap), _NEVER)

    def _count(self) -> int:
        return len(self._heap)

    def _item(self, element: Element) -> tuple[int, int, Element]:
        return int(element[0]), next(self._numbers), element

    def _put_one(self, element: Element) -> None:
        heapq.heappush(self._heap, self._item(element))

    def _put(self, source: deque[Any], count: int) -> None:
        items = islice(iter(source.popleft, _NEVER), count)
        _do_all(map(heapq.heappush, repeat(self._heap), items))

    def _take_one(self) -> Element:
        return heapq.heappop(self._heap)[2]

    def _take(self, target: list[Any], count: int) -> None:
        target.extend(islice(self._pops, count))

    def _give_back(self, source: list[Any]) -> None:
        items = islice(iter(source.pop, _NEVER), len(source))
        _do_all(map(heapq.heappush, repeat(self._heap), items))

    def _prepared(self, elements: list[Element]) -> deque[Any]:
        return deque(map(self._item, elements))

    def _elements_of(self, taken: list[Any]) -> list[Element]:
        return [item[2] for item in taken]

    def _contents(self) -> list[Element]:
        return [element for _, _, element in sorted(self._heap, key=lambda item: item[:2])]
