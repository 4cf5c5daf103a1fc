"""scripts/size: the table in docs/architecture.md is true, and what is too large is noticed."""

import importlib.util
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def size():
    loader = SourceFileLoader("tests.scripts_size", str(ROOT / "scripts" / "size"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sources(size):
    return [size.measure(path) for path in sorted(size.python_files()) if path.parts[0] == "tinytf"]


@pytest.fixture(scope="module")
def rows(size, sources):
    return list(size.count(sources))


def test_the_table_is_up_to_date(size, rows):
    page = size.PAGE.read_text(encoding="utf-8")
    assert size.with_table(page, rows) == page, "run scripts/size --write"


def test_runtime_and_laboratory_are_all_there_is(size, sources, rows):
    code = {name: lines for name, lines, _ in rows}
    wholes = [code["**the runtime**"], code["**the laboratory**"]]
    assert sum(wholes) == sum(s.code for s in sources)
    assert sum(lines for name, lines, _ in rows if name.startswith("– ")) == sum(wholes)


def test_the_paths_are_those_of_the_journey(size):
    text = (ROOT / "docs" / "journey.md").read_text(encoding="utf-8")
    stops = re.findall(r"^### \d+\. `tinytf/([\w/]+\.py)`", text, re.MULTILINE)
    assert set(stops) <= {*size.LOCAL_PATH, *size.CLUSTER_PATH}
    assert all((ROOT / "tinytf" / file).is_file() for file in size.LOCAL_PATH + size.CLUSTER_PATH)


def test_what_is_over_its_limit_is_said(size, sources, rows):
    too_large = [(name, 10**6, limit) for name, _, limit in rows]
    found = list(size.find_problems([], too_large))
    assert len(found) == len(size.BUDGETS)
    limit = next(row.limit for row in size.BUDGETS if row.name == "clusters")
    assert f"clusters: 1,000,000 lines of code of {limit:,}" in found
    long = size.Source(Path("tinytf/x.py"), 501, 400, ((7, "f", 61),))
    assert len(list(size.find_problems([long], []))) == 2


def test_a_file_of_a_path_that_is_gone_is_asked_for(size, sources):
    gone = "session/session.py"
    with pytest.raises(SystemExit, match=gone):
        list(size.count([one for one in sources if one.path.as_posix() != f"tinytf/{gone}"]))
