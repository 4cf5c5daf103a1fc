"""Each conformance case, both ways: built and run here and in TensorFlow."""

from functools import cache
from typing import Any

import pytest

import tinytf as tf
from tests.conformance.choosing import after_the_first, by_id, repeats, thinned
from tests.conformance.comparing import (
    compare_errors,
    compare_graphs,
    compare_static,
    compare_values,
    complaints_about,
)
from tests.conformance.encoding import read_file, read_outline
from tests.conformance.live import LiveTensorFlow
from tests.conformance.registry import FOLDER, Case, all_cases, families
from tests.conformance.running import outcome_of, run_graph
from tinytf.framework import registry
from tinytf.protos import graph_pb2

CASES = all_cases()


@cache
def recordings(family: str) -> dict[str, Any]:
    path = FOLDER / "recorded" / f"{family}.npz"
    return read_file(path) if path.exists() else {}


@cache
def runnable() -> list[Case]:
    """Cases with a graph that can run elsewhere: all but those that fail while they are built."""
    outlines = {
        path.stem: {name: frozenset(outcome) for name, outcome in read_outline(path).items()}
        for path in (FOLDER / "recorded").glob("*.npz")
    }
    unknown = frozenset({"graph"})
    return [
        case
        for case in CASES
        if case.travels and "graph" in outlines.get(case.family, {}).get(case.name, unknown)
    ]


def recorded(case: Case) -> dict[str, Any]:
    outcome = recordings(case.family).get(case.name)
    assert outcome is not None, (
        f"{case.id} is not recorded. Run: python3 scripts/oracle/record.py {case.family}"
    )
    return outcome


def agree(case: Case, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Whether an outcome is what the case declares and what TensorFlow gave."""
    found = complaints_about(case, ours) + compare_errors(ours.get("error"), theirs.get("error"))
    if "graph" in ours and "graph" in theirs:
        found += compare_graphs(case, ours["graph"], theirs["graph"])
        found += compare_static(ours["static"], theirs["static"])
    if "values" in ours and "values" in theirs:
        found += compare_values(case, ours["values"], theirs["values"])
    assert not found, "\n" + "\n".join(found)


@by_id(CASES, after_the_first(CASES))
def test_built_and_run_here(case):
    agree(case, outcome_of(tf, case), recorded(case))


@by_id(runnable(), repeats(runnable()))
def test_tensorflows_graph_runs_here(case):
    theirs = recorded(case)
    graph_def = graph_pb2.GraphDef.FromString(theirs["graph"])
    ours = run_graph(tf, graph_def, theirs["plan"])
    agree(case, ours, theirs)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("family", sorted({case.family for case in runnable()}))
def test_on_a_simulated_gpu(family, simulated_gpu, request):
    """What has a GPU kernel goes to the GPU, and gives the same: all cases of a family."""
    failed = []
    for case in thinned([case for case in runnable() if case.family == family], request.config):
        theirs = recorded(case)
        ours = run_graph(tf, graph_pb2.GraphDef.FromString(theirs["graph"]), theirs["plan"])
        try:
            agree(case, ours, theirs)
        except AssertionError as error:
            failed.append(f"{case.id}: {error}")
    assert failed == []


def test_cases_do_use_the_gpu_where_there_is_one(simulated_gpu):
    case = next(c for c in runnable() if "MatMul" in c.op_types and c.error is None)
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_pb2.GraphDef.FromString(recorded(case)["graph"]), name="")
        placed = sess._backend.placement()
    assert any("GPU:0" in d.device for d in placed.decisions.values() if d.op_type == "MatMul")


@pytest.fixture(scope="module")
def live():
    with LiveTensorFlow() as tensorflow:
        yield tensorflow


@pytest.mark.tensorflow
@by_id(runnable(), repeats(runnable()), pytest.mark.exhaustive)
def test_our_graph_runs_in_tensorflow(case, live):
    ours = outcome_of(tf, case)
    assert "graph" in ours, ours["error"]
    answer = live.run(ours["graph"], ours["plan"])
    agree(case, answer, {key: value for key, value in recorded(case).items() if key != "graph"})


def test_every_op_has_a_case_that_works():
    covered = {name for case in CASES if case.error is None for name in case.op_types}
    # What steps are cut into parts with: tests/distributed, and tests/interop beside TensorFlow.
    covered |= {"_Send", "_Recv", "_HostSend", "_HostRecv"}
    covered |= {"MutableDenseHashTable"}  # TensorFlow's own kernel fails in each case
    # They need a handle from an earlier step: tests/session/test_tensor_handles.py.
    covered |= {"GetSessionTensor", "DeleteSessionTensor"}
    missing = sorted(set(registry.op_defs) - covered)
    assert missing == [], "Add cases for these op types; tests/conformance/__init__.py says how."


def test_no_recording_is_left_of_a_case_that_is_gone():
    files = {path.stem for path in (FOLDER / "recorded").glob("*.npz")}
    assert files == set(families())
    names = {(case.family, case.name) for case in CASES}
    gone = [(f, name) for f in sorted(files) for name in recordings(f) if (f, name) not in names]
    assert gone == []
