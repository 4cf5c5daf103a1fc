"""How tests are spread over processes.

One file, one process; all that use a browser, one process, one after the other: several JupyterLabs
at a time take more than two cores have. What may take longest begins first, so that no process is
left alone with it at the end. A test that kills its process runs once.
"""

from collections import Counter
from collections.abc import Callable

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

BROWSER = "tests/browser/"


def longest_first(items: list[pytest.Item], timeout_of: Callable[[pytest.Item], float]) -> None:
    """Sort tests, file by file: by the most seconds one of them may take, then by their number.

    Args:
      items: is sorted in place. timeout_of: how many seconds a test may take.
    """
    seconds: dict[str, float] = {}
    count = Counter(_unit(item.nodeid) for item in items)
    for item in items:
        unit = _unit(item.nodeid)
        seconds[unit] = max(seconds.get(unit, 0.0), timeout_of(item))
    # Nothing takes longer than all that use a browser.
    seconds[BROWSER] = float("inf")
    units = sorted(count, key=lambda unit: (-seconds[unit], -count[unit], unit))
    rank = {unit: number for number, unit in enumerate(units)}
    items.sort(key=lambda item: rank[_unit(item.nodeid)])


def _unit(nodeid: str) -> str:
    return BROWSER if nodeid.startswith(BROWSER) else nodeid.split("::", 1)[0]


class OnceScheduling(LoadFileScheduling):
    """xdist's `--dist loadfile` for our units; a test that ends its process runs once.

    xdist hands all of a dead process's unfinished tests to the next one, the guilty test first: a
    hang would cost its time limit once for each of the eight processes that xdist is ready to lose.
    """

    _places: dict[str, int] | None = None

    def _split_scope(self, nodeid: str) -> str:
        return _unit(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        # xdist looks each test up in the list of all.
        if self._places is None:
            self._places = {test: place for place, test in enumerate(self.collection or ())}
        name, unit = self.workqueue.popitem(last=False)
        self.assigned_work.setdefault(node, {})[name] = unit
        node.send_runtest_some([self._places[test] for test, done in unit.items() if not done])

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        """How many tests wait, up to three: nobody asks for more. xdist counts all each time."""
        pending = 0
        for unit in reversed(workload.values()):
            for done in reversed(unit.values()):  # they are done in their order
                pending += not done
                if pending == 3:
                    return pending
        return pending

    def remove_node(self, node: WorkerController) -> str | None:
        """Take a finished or dead process out; return the test it died in, or None."""
        units = self.assigned_work.pop(node)
        pending = [
            (unit, test) for unit in units.values() for test, done in unit.items() if not done
        ]
        if not pending:
            return None
        unit, culprit = pending[0]
        unit[culprit] = True
        self.workqueue.update(
            {name: unit for name, unit in units.items() if not all(unit.values())}
        )
        for other in self.assigned_work:
            self._reschedule(other)
        return culprit
