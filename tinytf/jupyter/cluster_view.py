"""A cluster as it is: its tasks, what they hold, what they sent, and whose sessions there are.

Every task is asked over the network (see `tinytf.distributed.inspection`), all at once; of a local
cluster it is also known whether a process is paused or has ended. In the texts there are no ports,
processes and times: they are the same for the same program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from tinytf.devices.asking import readable
from tinytf.distributed.cluster.cluster_spec import ClusterSpec, tasks_of
from tinytf.distributed.inspection import look, look_through
from tinytf.distributed.tls import chosen
from tinytf.distributed.wire.client_transport import ClientTransport
from tinytf.framework.errors import (
    DeadlineExceededError,
    OpError,
    UnavailableError,
    UnimplementedError,
)
from tinytf.framework.rendezvous import tensor_of_edge
from tinytf.jupyter.cluster_tables import at_work
from tinytf.jupyter.picture import plural, short_device

WHAT = ("tasks", "sessions", "variables", "traffic")
SERVING, PAUSED, ENDED, SILENT, GONE = "serving", "paused", "ended", "silent", "unreachable"
#: States say so by a sign and a word.
SIGNS = {SERVING: "●", PAUSED: "⏸", ENDED: "✗", SILENT: "…", GONE: "✗"}
_MOST = 12
_OF_VARIABLE = "name bytes dtype shape".split()


class Known(NamedTuple):
    """A task, where it is, and what is known without asking it: its state, and more words."""

    name: str
    address: str
    state: str = ""
    note: str = ""


def known_tasks(of: Any, credentials: Any = None) -> list[Known]:
    """The tasks of what `tinytf.jupyter.cluster` takes.

    Raises:
      TypeError: for anything else. What asking a server raises, if only its address is given.
    """
    if hasattr(of, "status"):
        return [_local(status) for status in of.status()]
    if isinstance(of, str):
        address = of.removeprefix("grpc://")
        task = look(address, ["tasks"], credentials=credentials)["tasks"][0]
        own = short_device(task["task"])
        others = {short_device(name): where for name, where in task.get("cluster", ())}
        # Itself it may know by another address, with a port that was chosen later.
        return [Known(name, where) for name, where in {**others, own: address}.items()]
    if hasattr(of, "server_def"):  # a server, as it is known from outside
        return known_tasks(of.target, credentials)
    try:
        spec = ClusterSpec(of)
    except TypeError:
        raise TypeError(
            "This shows a cluster: a tinytf.LocalCluster, a tf.train.ClusterSpec, a "
            f"tf.train.Server, or the address of a server. Got: {of!r}"
        ) from None
    return [Known(str(task), address) for task, address in tasks_of(spec).items()]


def _local(status: Any) -> Known:
    name, note = f"{status.job}:{status.index}", status.faults
    if not status.alive:
        return Known(name, status.address, ENDED, status.state)
    if status.restarts:
        note = "; ".join(filter(None, ["restarted", note]))
    return Known(name, status.address, PAUSED if status.paused else "", note)


class Looker:
    """Asks tasks, all at once, over connections that stay open.

    Args:
      timeout: seconds for each answer. credentials: as of `tf.Session`.
    """

    def __init__(self, timeout: float = 2.0, credentials: Any = None):
        self._timeout, self._credentials = timeout, chosen(credentials)
        self._transports: dict[str, ClientTransport] = {}
        self._last: dict[str, Mapping[str, Any]] = {}

    def look(self, tasks: Sequence[Known]) -> dict[str, Any]:
        """The state of a cluster; see `state_of`."""
        for task in tasks:
            if task.address not in self._transports:
                self._transports[task.address] = ClientTransport(task.address, self._credentials)
        with ThreadPoolExecutor(max(len(tasks), 1)) as pool:
            return state_of(list(pool.map(self._ask, tasks)))

    def _ask(self, task: Known) -> tuple[Known, Mapping[str, Any]]:
        if task.state == ENDED:
            self._last.pop(task.name, None)
        if task.state:  # it would not answer; of one that is paused, what was known is still so
            return self._as_before(task)
        try:
            seen = look_through(self._transports[task.address], WHAT, self._timeout)
        except UnimplementedError:
            return task._replace(state=SERVING, note="a TensorFlow, which tells no more"), {}
        except DeadlineExceededError:
            return self._as_before(task._replace(state=SILENT))
        except UnavailableError:
            return task._replace(state=GONE), {}
        except OpError as error:
            return task._replace(state=GONE, note=str(error).splitlines()[0]), {}
        self._last[task.name] = seen
        return task._replace(state=SERVING), seen

    def _as_before(self, task: Known) -> tuple[Known, Mapping[str, Any]]:
        last = self._last.get(task.name)
        if last is None:
            return task, {}
        note = "; ".join(filter(None, [task.note, "what it holds: as last seen"]))
        return task._replace(note=note), last

    def close(self) -> None:
        """Close the connections."""
        for transport in self._transports.values():
            transport.close()
        self._transports.clear()


# ------------------------------------------------------------------------------------- plain values


def state_of(seen: Sequence[tuple[Known, Mapping[str, Any]]]) -> dict[str, Any]:
    """All that is shown of a cluster, as plain values, out of what its tasks answered."""
    sessions = _sessions(seen)
    tasks = []
    for known, answer in seen:
        variables = [
            {key: v[key] for key in _OF_VARIABLE} | {"set": v["initialized"]}
            for v in answer.get("variables", ())
        ]
        devices = [
            short_device(device["name"]).rpartition(" ")[2].upper()
            for task in answer.get("tasks", ())
            for device in task["devices"]
        ]
        work = at_work(answer["tasks"][0]) if "tasks" in answer else {}
        tasks.append(
            {
                "name": known.name,
                "state": known.state,
                "note": known.note,
                "devices": devices,
                "work": work,
                "variables": variables,
                "bytes": sum(v["bytes"] for v in variables),
                "told": "variables" in answer,
                "master_of": [s["name"] for s in sessions if s["master"] == known.name],
            }
        )
    return {"tasks": tasks, "sessions": sessions, "edges": _edges(seen)}


def _sessions(seen: Sequence[tuple[Known, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for is_own in (True, False):
        for known, answer in seen:
            for row in answer.get("sessions", ()):
                if ("operations" in row) != is_own:
                    continue
                first = {"name": f"session {len(found) + 1}", "master": short_device(row["master"])}
                work = {"operations": row.get("operations"), "running": row.get("running", 0)}
                session = found.setdefault(row["handle"], first | work | {"tasks": []})
                with_it = {known.name, *map(short_device, row.get("tasks", ()))}
                session["tasks"] = sorted(with_it.union(session["tasks"]) - {session["master"]})
    return list(found.values())


def _edges(seen: Sequence[tuple[Known, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, list[int]]] = {}
    for _, answer in seen:
        for row in answer.get("traffic", ()):
            edge = short_device(row["source"]), short_device(row["destination"])
            tensors = found.setdefault(edge, {})
            name = tensor_of_edge(row["tensor"]).removesuffix(":0")
            entry = tensors.setdefault(name, [0, 0])
            entry[0] += row["times"]
            entry[1] += row["bytes"]
    return [
        {
            "source": source,
            "target": target,
            "bytes": sum(size for _, size in tensors.values()),
            "tensors": sorted([name, *counts] for name, counts in tensors.items()),
        }
        for (source, target), tensors in sorted(found.items())
    ]


# -------------------------------------------------------------------------------------------- words


def headline(state: Mapping[str, Any]) -> str:
    """A cluster in a sentence."""
    tasks = state["tasks"]
    counts = {name: sum(task["state"] == name for task in tasks) for name in SIGNS}
    states = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    total = sum(task["bytes"] for task in tasks)
    return (
        f"Cluster of {plural(len(tasks), 'task')}: {states}; "
        f"{plural(len(state['sessions']), 'session')}; variables of {readable(total)}."
    )


def holds(task: Mapping[str, Any]) -> str:
    """The variables of a task, in a few words; "" if it has not told."""
    if not task["told"]:
        return ""
    count = len(task["variables"])
    return f"{plural(count, 'variable')}, {readable(task['bytes'])}" if count else "no variables"


def variable_text(variable: Mapping[str, Any]) -> str:
    """A variable: "v: float32 (2, 3), 24 bytes"."""
    shape = variable["shape"]
    sizes = "of any shape" if shape is None else f"({', '.join(map(str, shape))})"
    size = readable(variable["bytes"]) if variable["set"] else "not initialized"
    return f"{variable['name']}: {variable['dtype']} {sizes}, {size}"


def _tasks_of(session: Mapping[str, Any]) -> list[str]:
    return [session["master"], *session["tasks"]]


def session_text(session: Mapping[str, Any]) -> str:
    """A session: who is its master, and who works for it."""
    others = ", ".join(session["tasks"])
    text = f"{session['name']}: its master is {session['master']}"
    verb = "work" if len(session["tasks"]) > 1 else "works"
    return f"{text}, and {others} {verb} for it" if others else text


def edge_text(edge: Mapping[str, Any]) -> str:
    """What went from one task to another."""
    names = [name for name, _, _ in edge["tensors"]]
    listed = ", ".join(name for name in names[:4] if not name.startswith("^"))
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    what = f": {listed}{more}" if listed else ", signals only"
    return f"{edge['source']} -> {edge['target']}, {readable(edge['bytes'])}{what}"


def _lines(state: Mapping[str, Any]) -> Iterable[str]:
    yield headline(state)
    width = max((len(task["name"]) for task in state["tasks"]), default=0)
    for task in state["tasks"]:
        words = [f"{SIGNS[task['state']]} {task['state']}", *task["devices"]]
        words += [holds(task)] if task["told"] else []
        words += [f"master of {', '.join(task['master_of'])}"] if task["master_of"] else []
        words += [task["note"]] if task["note"] else []
        yield f"  {task['name']:{width}}  {'; '.join(words)}"
        for variable in task["variables"][:_MOST]:
            yield f"  {'':{width}}    {variable_text(variable)}"
        if len(task["variables"]) > _MOST:
            yield f"  {'':{width}}    ... and {len(task['variables']) - _MOST} more"
    yield from (f"  {session_text(session)}" for session in state["sessions"][:_MOST])
    if state["edges"]:
        yield "What was sent:"
    yield from (f"  {edge_text(edge)}" for edge in state["edges"])


def as_text(state: Mapping[str, Any]) -> str:
    """A cluster as a few lines."""
    return "\n".join(_lines(state))


def facts_of(state: Mapping[str, Any]) -> dict[str, list[tuple[str, list[str]]]]:
    """For each task, what is told of it: titles and lines."""
    facts = {}
    for task in state["tasks"]:
        name, w = task["name"], task["work"]
        variables = [variable_text(variable) for variable in task["variables"]]
        more = [f"... and {len(variables) - _MOST} more"] if len(variables) > _MOST else []
        rows = [
            ("state", [f"{SIGNS[task['state']]} {task['state']}", *filter(None, [task["note"]])]),
            ("devices", task["devices"]),
            ("threads", [f"{w['kernel']} a kernel, {w['blas'] or '?'} of BLAS"] if w else []),
            ("calls", [w["calls"]] if w else []),
            ("variables", [*filter(None, [holds(task)]), *variables[:_MOST], *more]),
            ("sessions", [session_text(s) for s in state["sessions"] if name in _tasks_of(s)]),
            ("sent", [edge_text(edge) for edge in state["edges"] if edge["source"] == name]),
            ("received", [edge_text(edge) for edge in state["edges"] if edge["target"] == name]),
        ]
        facts[name] = [(title, lines) for title, lines in rows if lines]
    return facts
