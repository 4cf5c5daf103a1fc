"""How tests are spread over processes: one file, one process; a test that kills one runs once."""

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class OnceScheduling(LoadFileScheduling):
    """xdist's `--dist loadfile`, except that a test that ended its process is not tried again.

    xdist hands all of a dead process's unfinished tests to the next one, the guilty test first: a
    hang would cost its time limit once for each of the eight processes that xdist is ready to lose.
    """

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
