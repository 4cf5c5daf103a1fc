"""What is wrong with an outcome: against its case, or against TensorFlow's."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from tests.conformance.registry import Case

#: Relative and absolute tolerance by dtype. Both libraries round, in different orders.
TOLERANCES = {
    "float16": (2e-3, 1e-3),
    "bfloat16": (1.6e-2, 1e-2),
    "float32": (1e-5, 1e-6),
    "float64": (1e-12, 1e-12),
    "complex64": (1e-5, 1e-6),
    "complex128": (1e-12, 1e-12),
}


def complaints_about(case: Case, outcome: dict[str, Any]) -> list[str]:
    """Where an outcome, of either library, is not what its case declares."""
    error = outcome.get("error")
    if case.error is None:
        if error is not None:
            where = f" in {error['op']}" if error["op"] else ""
            return [f"{error['class']} at {error['phase']}{where}: {error['message']}"]
        return _check(case, outcome["values"])
    if error is None:
        return [f"should fail with {case.error!r}, but gave {outcome['values']}"]
    if case.error not in error["message"]:
        return [f"{case.error!r} is not in the {error['class']}: {error['message']!r}"]
    return []


def _check(case: Case, values: list[list[Any]]) -> list[str]:
    if case.check is None:
        return []
    try:
        case.check(values)
    except AssertionError as error:
        return [f"its check failed for {values}: {error}"]
    return []


def compare_errors(ours: dict[str, Any] | None, theirs: dict[str, Any] | None) -> list[str]:
    """Differences of two errors: class, moment, and the op, if TensorFlow names one."""
    if ours is None or theirs is None:
        return [] if ours is theirs else [f"error {ours}, but TensorFlow has {theirs}"]
    parts = ["class", "phase"] + (["op"] if theirs["op"] else [])
    return [
        f"{part} of the error: {ours[part]}, but TensorFlow has {theirs[part]} "
        f"({ours['message']!r}; TensorFlow: {theirs['message']!r})"
        for part in parts
        if ours[part] != theirs[part]
    ]


def compare_static(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> list[str]:
    """Differences of what is known before the run."""
    if len(ours) != len(theirs):
        return [f"{len(ours)} fetches, but TensorFlow has {len(theirs)}"]
    return [
        f"fetch {index} is statically {mine}, but TensorFlow's {real}"
        for index, (mine, real) in enumerate(zip(ours, theirs))
        if mine != real
    ]


def compare_values(case: Case, ours: list[list[Any]], theirs: list[list[Any]]) -> list[str]:
    """Differences of fetched values, [run][fetch]."""
    if [len(run) for run in ours] != [len(run) for run in theirs]:
        return ["the numbers of runs or fetches differ"]
    found = []
    for run, (our_run, their_run) in enumerate(zip(ours, theirs)):
        for fetch, (mine, real) in enumerate(zip(our_run, their_run)):
            if text := _compare_value(case, mine, real):
                found.append(f"run {run}, fetch {fetch}: {text}")
    return found


def _compare_value(case: Case, mine: Any, real: Any) -> str | None:
    if mine is None or real is None:
        return None if mine is real else f"{mine!r}, but TensorFlow has {real!r}"
    if (mine.dtype, mine.shape) != (real.dtype, real.shape):
        facts = f"{mine.dtype} of shape {mine.shape}"
        return f"{facts}, but TensorFlow's is {real.dtype} of shape {real.shape}"
    if case.random:
        return None
    if real.dtype.name not in TOLERANCES:
        equal = np.array_equal(mine, real)
    else:
        rtol, atol = TOLERANCES[real.dtype.name]
        rtol = rtol if case.rtol is None else case.rtol
        atol = atol if case.atol is None else case.atol
        # numpy compares neither float16 nor bfloat16 with tolerances that are smaller than their
        # own precision; in a wider type it can.
        wide = np.complex128 if real.dtype.kind == "c" else np.float64
        equal = np.allclose(mine.astype(wide), real.astype(wide), rtol, atol, equal_nan=True)
    return None if equal else f"{mine.tolist()!r}, but TensorFlow has {real.tolist()!r}"


def compare_graphs(case: Case, ours: bytes, theirs: bytes) -> list[str]:
    """Differences of two serialised graphs, as far as the case asks for sameness."""
    from tinytf.protos import graph_pb2

    mine, real = graph_pb2.GraphDef.FromString(ours), graph_pb2.GraphDef.FromString(theirs)
    if case.graph == "any":
        return []
    _rename_functions(mine)
    _rename_functions(real)
    if case.graph == "types":
        counted, wanted = (Counter(node.op for node in graph.node) for graph in (mine, real))
        if counted == wanted:
            return []
        return [f"more: {dict(counted - wanted)}; only in TensorFlow's: {dict(wanted - counted)}"]
    our_nodes = {node.name: node for node in mine.node}
    their_nodes = {node.name: node for node in real.node}
    found = [f"node {name} is not in TensorFlow's graph" for name in our_nodes.keys() - their_nodes]
    found += [f"node {name} is missing" for name in their_nodes.keys() - our_nodes]
    for name in our_nodes.keys() & their_nodes:
        found += _compare_nodes(our_nodes[name], their_nodes[name])
    return sorted(found + _compare_libraries(mine.library, real.library))


#: Names that tf.data and Defun give to functions: the end is another one in each process.
_NUMBERED = re.compile(r"(__inference_.+_)\d+$|(_make_dataset_)[A-Za-z0-9]+$")


def _rename_functions(graph: Any) -> None:
    """Number functions whose names are of their process, in the order in which nodes name them."""
    known: dict[str, str] = {}
    by_name = {function.signature.name: function for function in graph.library.function}

    def name_in(nodes: Any) -> None:
        for node in nodes:
            for key in sorted(node.attr):
                value = node.attr[key]
                for call in [value.func, *value.list.func] if value.func.name else value.list.func:
                    match = _NUMBERED.match(call.name)
                    inside = by_name.get(call.name)
                    if match and call.name not in known:
                        known[call.name] = f"{match[1] or match[2]}number{len(known)}"
                        if inside is not None:
                            name_in(inside.node_def)
                    call.name = known.get(call.name, call.name)

    name_in(graph.node)
    for function in graph.library.function:
        function.signature.name = known.get(function.signature.name, function.signature.name)
    in_order = sorted(graph.library.function, key=lambda function: function.signature.name)
    del graph.library.function[:]
    graph.library.function.extend(in_order)


def _compare_libraries(ours: Any, theirs: Any) -> list[str]:
    """Differences of functions: signatures, results, nodes, and who is whose gradient."""
    mine = {function.signature.name: function for function in ours.function}
    real = {function.signature.name: function for function in theirs.function}
    found = [f"function {name} is not in TensorFlow's graph" for name in mine.keys() - real]
    found += [f"function {name} is missing" for name in real.keys() - mine]
    if sorted(map(str, ours.gradient)) != sorted(map(str, theirs.gradient)):
        found.append(f"gradients {ours.gradient}, but TensorFlow has {theirs.gradient}")
    for name in mine.keys() & real:
        ours, theirs = mine[name], real[name]
        for part in ("signature", "ret", "attr", "arg_attr", "control_ret"):
            if getattr(ours, part) != getattr(theirs, part):
                found.append(
                    f"function {name}: {part} {getattr(ours, part)}, but TensorFlow has "
                    f"{getattr(theirs, part)}"
                )
        our_nodes = [node.name for node in ours.node_def]
        their_nodes = [node.name for node in theirs.node_def]
        if our_nodes != their_nodes:
            found.append(f"function {name}: nodes {our_nodes}, but TensorFlow has {their_nodes}")
        else:
            for one, other in zip(ours.node_def, theirs.node_def, strict=True):
                found += [f"function {name}: {text}" for text in _compare_nodes(one, other)]
    return found


_NAMED_BY_CHANCE = re.compile('"hash_table_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"')


def _compare_nodes(ours: Any, theirs: Any) -> list[str]:
    found = []
    for part in ("op", "input", "device"):
        mine, real = getattr(ours, part), getattr(theirs, part)
        if mine != real:
            found.append(f"node {ours.name}: {part} {mine}, but TensorFlow has {real}")
    for name in sorted(ours.attr.keys() | theirs.attr.keys()):
        mine = attr_facts(ours.attr[name]) if name in ours.attr else "none"
        real = attr_facts(theirs.attr[name]) if name in theirs.attr else "none"
        # A py_func's token numbers the functions of its process; tables are named by chance.
        chance = name == "token" or all(_NAMED_BY_CHANCE.search(str(n)) for n in (mine, real))
        if mine != real and not chance:
            found.append(f"node {ours.name}: attribute {name} {mine}, but TensorFlow has {real}")
    return found


def attr_facts(value: Any) -> Any:
    """An attribute's value, with tensors by their elements: one value has several encodings."""
    from tinytf.protos import tensor_pb2

    if value.WhichOneof("value") != "tensor":
        return str(value).strip()
    tensor = value.tensor
    shape = tuple(dim.size for dim in tensor.tensor_shape.dim)
    elements = tensor_elements(tensor, int(np.prod(shape, dtype=np.int64)))
    return tensor_pb2.DataType.Name(tensor.dtype), shape, elements


def tensor_elements(tensor: Any, count: int) -> bytes | list[bytes]:
    """The elements of a TensorProto, as raw bytes (a list of them for strings).

    A list of values that is too short repeats its last one; an empty one stands for zeros. Written
    here once more on purpose: a mistake in tinytf's own decoder must not hide itself.
    """
    from tinytf.protos import tensor_pb2

    name = tensor_pb2.DataType.Name(tensor.dtype)
    if name == "DT_STRING":
        values = list(tensor.string_val) or [b""]
        return values[:count] + values[-1:] * (count - len(values))
    if tensor.tensor_content:
        return tensor.tensor_content
    field, dtype = _FIELDS[name]
    values = np.array(getattr(tensor, field), dtype)
    if name.startswith("DT_COMPLEX"):
        values = values.reshape(-1, 2)
    if len(values) == 0:
        values = np.zeros([1, *values.shape[1:]], dtype)
    repeated = np.repeat(values[-1:], max(count - len(values), 0), axis=0)
    return np.concatenate([values[:count], repeated]).tobytes()


_FIELDS = {
    "DT_FLOAT": ("float_val", np.float32),
    "DT_DOUBLE": ("double_val", np.float64),
    "DT_INT32": ("int_val", np.int32),
    "DT_UINT8": ("int_val", np.uint8),
    "DT_INT8": ("int_val", np.int8),
    "DT_INT16": ("int_val", np.int16),
    "DT_UINT16": ("int_val", np.uint16),
    "DT_INT64": ("int64_val", np.int64),
    "DT_UINT32": ("uint32_val", np.uint32),
    "DT_UINT64": ("uint64_val", np.uint64),
    "DT_BOOL": ("bool_val", np.bool_),
    "DT_HALF": ("half_val", np.uint16),
    "DT_BFLOAT16": ("half_val", np.uint16),
    "DT_COMPLEX64": ("scomplex_val", np.float32),
    "DT_COMPLEX128": ("dcomplex_val", np.float64),
}
