"""scripts/import_circles: which circles it finds, and that tinytf has none at the top of files."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "import_circles"), *map(str, arguments)],
        capture_output=True,
        text=True,
    )


@pytest.fixture
def package(tmp_path):
    """Makes a package of some modules, each given by its text."""

    def make(**modules):
        folder = tmp_path / "house"
        for name, text in {"__init__": "", **modules}.items():
            path = folder.joinpath(*name.split("__in__")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder

    return make


def kinds(result):
    """The number of circles of each kind, in the order of the report."""
    return [int(count) for count in re.findall(r": +(\d+) circles?,", result.stdout)]


@pytest.mark.slow  # scripts/check says it before every commit
def test_tinytf_has_none_at_the_top_of_files():
    result = run()
    assert result.returncode == 0, result.stdout + result.stderr
    assert kinds(result)[0] == 0
    assert "imports inside functions" in result.stdout


def test_a_circle_at_the_top_of_files(package):
    result = run(package(a="from house import b", b="import house.c", c="from .a import x"))
    assert result.returncode == 1
    assert kinds(result) == [1, 0, 0]
    assert "3: house.a, house.b, house.c" in result.stdout


def test_one_in_a_class_or_a_condition_counts_as_well(package):
    text = "class A:\n    try:\n        from house import b\n    finally:\n        pass\n"
    assert kinds(run(package(a=text, b="import house.a"))) == [1, 0, 0]


def test_a_circle_by_way_of_functions(package):
    later = "def f():\n    from house.a import x\n    return x\n"
    result = run(package(a="from house import b", b=later, c=later))
    assert result.returncode == 0
    assert kinds(result) == [0, 1, 0]
    assert "2: house.a, house.b" in result.stdout
    assert result.stdout.splitlines()[-1].split() == ["together", "2", "1"]


def test_a_circle_for_types_alone(package):
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.a import X\n"
    result = run(package(a="from house import b", b=typed))
    assert result.returncode == 0
    assert kinds(result) == [0, 0, 1]


def test_whoever_imports_a_module_imports_the_package_around_it(package):
    parts = {"shed__in____init__": "from house.shed import a", "shed__in__a": "import house.b"}
    result = run(package(**parts, shed__in__c="", b="import house.shed.c"))
    assert result.returncode == 1  # house.b -> house.shed -> house.shed.a -> house.b
    assert "3: house.b, house.shed, house.shed.a" in result.stdout


def test_a_package_may_gather_what_lies_in_it(package):
    parts = {
        "shed__in____init__": "from house.shed.a import x",
        "shed__in__a": "import house.shed.b",
    }
    assert kinds(run(package(**parts, shed__in__b=""))) == [0, 0, 0]
