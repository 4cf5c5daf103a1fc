"""The README's figures are true: each is compared with what it counts, or with its page."""

import gzip
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: As one line: sentences are broken wherever a line is full.
README = " ".join((ROOT / "README.md").read_text().split())


def figure(pattern: str) -> float:
    """The number that stands where the pattern has a group."""
    found = re.findall(pattern, README)
    assert len(found) == 1, f"{pattern}: {found}"
    return float(found[0].replace(",", ""))


def assert_rounded(said: float, truth: int) -> None:
    """A round number that is not above the truth, nor so far below that it should be renewed."""
    assert said <= truth <= 1.25 * said, f"README.md says {said:,.0f}, and it is {truth:,}"


def table_rows() -> list[dict[str, str]]:
    """The rows of docs/performance.md, with the heads of their tables."""
    rows, head = [], None
    for line in (ROOT / "docs" / "performance.md").read_text().splitlines():
        if not line.startswith("|"):
            head = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if head is None:
            head = cells
        elif not cells[1].startswith("--"):
            rows.append(dict(zip(head, cells, strict=True)))
    return rows


def ratios() -> dict[str, float]:
    """What is measured beside TensorFlow: the ratio of each row."""
    return {
        row["row"]: float(row["ratio"])
        for row in table_rows()
        if "row" in row and {"TensorFlow", "ratio"} <= set(row)
    }


def test_conformance_cases_and_op_types():
    from tests.conformance.registry import all_cases
    from tinytf.framework import registry

    assert_rounded(figure(r"([\d,]+) cases for"), len(all_cases()))
    assert_rounded(figure(r"cases for ([\d,]+) op types"), len(set(registry.op_defs)))


@pytest.mark.slow  # reads the outline of every recording
def test_graphs_that_are_exchanged():
    from tests.conformance.test_cases import runnable

    assert_rounded(figure(r"\| ([\d,]+) each way"), len(runnable()))


def test_answers_about_what_surrounds_computing():
    recorded = (ROOT / "tests" / "behaviour" / "recorded").glob("*.json")
    families = [json.loads(path.read_text()) for path in recorded]
    count = sum(len(answers) for family in families for answers in family.values())
    assert_rounded(figure(r"feeds and errors \| ([\d,]+)"), count)


def test_graphs_that_were_placed():
    placed = json.loads(gzip.decompress((ROOT / "tests/placement/recorded.json.gz").read_bytes()))
    assert_rounded(figure(r"placer does it \| ([\d,]+)"), len(placed))


def test_gradients():
    from tests.ops.gradients.test_gradient_checks import CASES, EACH

    second = [name for name, index in EACH if not CASES[name][index].first_order_only]
    assert_rounded(figure(r"gradients of gradients \| ([\d,]+) and"), len(EACH))
    assert_rounded(figure(r"gradients of gradients \| [\d,]+ and ([\d,]+)"), len(second))


@pytest.mark.parametrize(
    ("words", "row"),
    [
        ("for a step of three operations", "programs: run_three_scalar_ops"),
        ("for the import", "import, time"),
        ("for training on batches of 50", "programs: train_sgd_batch_50"),
        ("for a small convolutional net", "programs: train_convolutional_net_batch_32"),
        ("for a step over three tasks", "cluster: a step over three tasks"),
        ("where it goes over gRPC", "over gRPC: a step over three tasks"),
    ],
)
def test_a_ratio_is_the_measured_one(words, row):
    assert figure(rf"([\d.]+) {words}") == pytest.approx(ratios()[row], abs=0.005)


def test_how_many_rows_take_less_time():
    local = [row for row in table_rows() if {"tinytf", "TensorFlow", "ratio"} <= set(row)]
    assert figure(r"less in (\d+) of") == sum(float(row["ratio"]) < 1 for row in local)
    assert figure(r"less in \d+ of (\d+) rows") == len(local)


def test_the_wire_is_tried_in_all_directions():
    # These start a real TensorFlow's server or client: what the table says of the wire.
    files = ("test_tf_client_our_server", "test_our_client_tf_server", "test_mixed_clusters")
    for name in files:
        text = (ROOT / "tests" / "interop" / f"{name}.py").read_text()
        assert "pytest.mark.tensorflow" in text, name
