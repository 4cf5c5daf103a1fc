"""How many bytes of variables lie on each task: whether parameter servers share the load.

What a graph asks for is enough to tell: no session, no cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from tinytf.framework import dtypes
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor_shape import TensorShape

VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp"])

#: What an element of type string counts: the address of its text.
_STRING_BYTES = 8
#: From this many times the mean on, a task's load is worth a sentence.
_UNEVEN = 1.5
#: What another strategy has to save of the largest load to be worth naming.
_WORTH_IT = 0.2


def bytes_of(op: Operation) -> int | None:
    """The bytes of a variable, or of any operation's only output; None if they are not known.

    Of a resource variable it is what the variable holds, not its handle. A string counts 8 bytes.
    """
    output = op.outputs[0]
    dtype, shape = output.dtype.base_dtype, output.shape
    if op.type == "VarHandleOp":
        dtype = op.attrs["dtype"]
    if op.type == "VarHandleOp" or not shape.is_fully_defined():
        shape = op.attrs.get("shape", shape)
    if not isinstance(shape, TensorShape) or not shape.is_fully_defined():
        return None
    element = _STRING_BYTES if dtype == dtypes.string else dtype.size
    return (shape.num_elements() or 0) * element


@dataclass(frozen=True, slots=True)
class VariableBytes:
    """A variable: its name, its device as asked for, its bytes (None: not known before it runs).

    `leader` is the variable it must be with, as an optimizer's slot must; itself if there is none.
    """

    name: str
    device: str
    bytes: int | None
    leader: str


@dataclass(frozen=True, slots=True)
class TaskBytes:
    """What lies on one task.

    Attributes:
      task: "/job:ps/task:0"; "" for what asks for no task.
      variables: the variables in the order in which they were built.
      share: the part of all bytes that are known, 0 to 1.
    """

    task: str
    variables: tuple[VariableBytes, ...]
    share: float

    @property
    def bytes(self) -> int:
        """The bytes of all variables whose size is known."""
        return sum(variable.bytes or 0 for variable in self.variables)

    @property
    def unknown(self) -> int:
        """The number of variables whose size is not known."""
        return sum(variable.bytes is None for variable in self.variables)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the task that are asked for: "CPU:0", "GPU:*"."""
        specs = [DeviceSpec.from_string(variable.device) for variable in self.variables]
        return tuple(sorted({_device(spec) for spec in specs if spec.device_type}))


class ParameterTable:
    """The bytes of a graph's variables, task by task; a table as text and in a notebook.

    Made by `bytes_by_task`. Iterates over its rows, `TaskBytes`; `table["/job:ps/task:0"]` is one.

    Attributes:
      rows: by job and task; what asks for no task comes last. total: all bytes that are known.
      advice: what would balance better, in a sentence; "" if it is well as it is.
    """

    def __init__(self, variables: Sequence[VariableBytes]):
        tasks: dict[str, list[VariableBytes]] = {}
        for variable in variables:
            tasks.setdefault(_task(variable.device), []).append(variable)
        self.total = sum(variable.bytes or 0 for variable in variables)
        self.rows = tuple(
            TaskBytes(task, tuple(own), sum(v.bytes or 0 for v in own) / (self.total or 1))
            for task, own in sorted(tasks.items(), key=lambda item: _order(item[0]))
        )
        self.advice = " ".join(filter(None, map(_advice, _jobs(self.rows))))

    def __iter__(self) -> Iterator[TaskBytes]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, task: str) -> TaskBytes:
        for row in self.rows:
            if row.task == task:
                return row
        known = ", ".join(repr(row.task) for row in self.rows) or "none"
        raise KeyError(f"No variable asks for the task {task!r}. Those asked for: {known}.")

    def _table(self) -> list[tuple[str, ...]]:
        unknown = any(row.unknown for row in self.rows)
        devices = any(row.devices for row in self.rows)
        titles = ("task", "variables", "bytes", "share")
        lines = [titles + ("of unknown size",) * unknown + ("devices",) * devices]
        for row in self.rows:
            cells = (
                row.task or "no task asked for",
                str(len(row.variables)),
                f"{row.bytes:,}",
                f"{row.share:.0%}",
            )
            more = (str(row.unknown),) * unknown + (", ".join(row.devices),) * devices
            lines.append(cells + more)
        return lines

    @property
    def caption(self) -> str:
        """The sum, in a sentence."""
        count = sum(len(row.variables) for row in self.rows)
        known = "variable" if count == 1 else "variables"
        return f"{count} {known}, {self.total:,} bytes, by the task that they ask for."

    def __repr__(self) -> str:
        table = self._table()
        if len(table) == 1:
            return "The graph has no variables."
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(
                cell.rjust(width)
                if 0 < column < 5 and table[0][column] != "devices"
                else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in table
        ]
        return "\n".join([*lines, self.caption, *filter(None, [self.advice])])

    def _repr_html_(self) -> str:
        head, *body = self._table()
        if not body:
            return "<p>The graph has no variables.</p>"
        titles = "".join(f'<th scope="col">{escape(title)}</th>' for title in head)
        rows = "".join(
            f'<tr><th scope="row">{escape(line[0])}</th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in line[1:])
            + "</tr>"
            for line in body
        )
        advice = f"<p>{escape(self.advice)}</p>" if self.advice else ""
        return (
            f"<table><caption>{escape(self.caption)}</caption><thead><tr>{titles}</tr></thead>"
            f"<tbody>{rows}</tbody></table>{advice}"
        )


def bytes_by_task(graph: Graph | None = None) -> ParameterTable:
    """The bytes of a graph's variables on each task, as the graph asks for them.

    Args:
      graph: None for the default graph.

    Returns:
      a table that shows itself; also says what would balance better, if it is very uneven.

    Example:
      >>> with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
      ...     w1, b1 = tf.get_variable("w1", [784, 300]), tf.get_variable("b1", [300])
      ...     w2, b2 = tf.get_variable("w2", [300, 10]), tf.get_variable("b2", [10])
      >>> tinytf.placement.bytes_by_task()
      task            variables    bytes  share
      /job:ps/task:0          2  952,800   100%
      /job:ps/task:1          2    1,240     0%
      4 variables, 954,040 bytes, by the task that they ask for.
      'w1' alone is 940,800 bytes of job 'ps': partitioner=tf.fixed_size_partitioner(2) cuts it.
    """
    ops = (get_default_graph() if graph is None else graph).get_operations()
    variables = {op.name: op for op in ops if op.type in VARIABLES}
    return ParameterTable([_described(op, variables) for op in variables.values()])


def _described(op: Operation, variables: dict[str, Operation]) -> VariableBytes:
    """A variable; where it asks for no device, it is with the variable it is colocated with."""
    leader, seen = op, {op.name}
    while True:
        names = [group.removeprefix(b"loc:@").decode() for group in leader.colocation_groups()]
        following = next((n for n in names if n in variables and n not in seen), None)
        if following is None:
            break
        seen.add(following)
        leader = variables[following]
    return VariableBytes(op.name, op.device or leader.device, bytes_of(op), leader.name)


def _device(spec: DeviceSpec) -> str:
    return spec.replace(job=None, replica=None, task=None).to_string().removeprefix("/device:")


def _task(device: str) -> str:
    return DeviceSpec.from_string(device).replace(device_type=None, device_index=None).to_string()


def _order(task: str) -> tuple[bool, str, int, int]:
    spec = DeviceSpec.from_string(task)
    number = -1 if spec.task is None else spec.task
    return not task, spec.job or "", spec.replica or 0, number


# Advice -----------------------------------------------------------------------------------------


def _jobs(rows: Iterable[TaskBytes]) -> Iterator[list[TaskBytes]]:
    """The rows of each job all of whose variables ask for a task."""
    jobs: dict[str, list[TaskBytes]] = {}
    for row in rows:
        spec = DeviceSpec.from_string(row.task)
        if spec.job and not spec.replica:
            jobs.setdefault(spec.job, []).append(row)
    for own in jobs.values():
        if all(DeviceSpec.from_string(row.task).task is not None for row in own):
            yield own


def _advice(rows: list[TaskBytes]) -> str:
    """What would balance a job better: true of its variables as they are, or nothing."""
    specs = [DeviceSpec.from_string(row.task) for row in rows]
    tasks = 1 + max(spec.task or 0 for spec in specs)
    most = max(row.bytes for row in rows)
    mean = sum(row.bytes for row in rows) / tasks
    if tasks < 2 or most <= _UNEVEN * mean or any(row.unknown for row in rows):
        return ""
    variables = [variable for row in rows for variable in row.variables]
    groups: dict[str, int] = {}
    own: dict[str, int] = {}
    for variable in variables:
        groups[variable.leader] = groups.get(variable.leader, 0) + (variable.bytes or 0)
        if variable.leader == variable.name:
            own[variable.name] = variable.bytes or 0
    largest = max(groups, key=groups.__getitem__)
    if groups[largest] > _UNEVEN * mean:
        return (
            f"{largest!r} alone is {groups[largest]:,} bytes of job {specs[0].job!r}: "
            f"partitioner=tf.fixed_size_partitioner({tasks}) cuts it."
        )
    loads = _greedy(own, groups, tasks)
    if max(loads) > (1 - _WORTH_IT) * most:
        return ""
    return (
        f"Job {specs[0].job!r} has {most:,} bytes on one task; "
        f"ps_strategy=tf.contrib.training.GreedyLoadBalancingStrategy({tasks}, "
        f"tf.contrib.training.byte_size_load_fn) for all of its variables makes that "
        f"{max(loads):,}."
    )


def _greedy(own: dict[str, int], groups: dict[str, int], tasks: int) -> list[int]:
    """The loads that the greedy strategy gives. It sees a variable, not its future followers."""
    seen, loads = [0] * tasks, [0] * tasks
    for name, size in own.items():
        task = seen.index(min(seen))
        seen[task] += size
        loads[task] += groups[name]
    return loads
