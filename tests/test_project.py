"""The project as a whole: what is locked, what the README promises, what must not be in it."""

import ast
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import tinytf

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCKED_EXTRAS = ("course", "grade", "test")


def run_python(
    *arguments: str, cwd: Path = ROOT, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


# ----------------------------------------------------------------------------------- the lock file


def wanted_requirements() -> list[Requirement]:
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for name in LOCKED_EXTRAS for line in extras[name])]
    return [Requirement(line) for line in lines]


def locked_requirements(text: str) -> list[tuple[Requirement, bool, int]]:
    """Each locked version, whether pyproject.toml asks for it, and how many hashes it has."""
    blocks = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)
    return [
        (
            Requirement(block.split(" \\\n")[0].strip()),
            "tinytf (pyproject.toml)" in block,
            block.count("--hash=sha256:"),
        )
        for block in blocks
        if block.strip()
    ]


def disagreements(wanted: list[Requirement], lock: str) -> list[str]:
    locked = locked_requirements(lock)
    names = {canonicalize_name(requirement.name) for requirement in wanted}
    direct = {
        canonicalize_name(requirement.name) for requirement, is_direct, _ in locked if is_direct
    }
    found = [f"not locked: {name}" for name in sorted(names - direct)]
    found += [f"locked, but no longer wanted: {name}" for name in sorted(direct - names)]
    for requirement in wanted:
        for candidate, _, _ in locked:
            if canonicalize_name(candidate.name) == canonicalize_name(requirement.name):
                (specifier,) = candidate.specifier
                if not requirement.specifier.contains(specifier.version):
                    found.append(f"{candidate.name} {specifier.version} is not {requirement}")
    return found


def test_lock_and_pyproject_agree():
    problems = disagreements(wanted_requirements(), (ROOT / "requirements.lock").read_text())
    assert not problems, "run scripts/lock"


def test_a_disagreement_is_noticed():
    lock = (
        "numpy==2.4.6 ; python_full_version < '3.12' \\\n    --hash=sha256:aa\n"
        "    # via tinytf (pyproject.toml)\n"
        "tqdm==4.70.1 \\\n    --hash=sha256:bb\n    # via tinytf (pyproject.toml)\n"
        "six==1.17.0 \\\n    --hash=sha256:cc\n    # via tqdm\n"
    )
    assert disagreements([Requirement("numpy>=2,<3"), Requirement("tqdm")], lock) == []
    assert disagreements([Requirement("numpy<2"), Requirement("simpy")], lock) == [
        "not locked: simpy",
        "locked, but no longer wanted: tqdm",
        "numpy 2.4.6 is not numpy<2",
    ]


def test_lock_pins_with_hashes_and_names_no_place():
    text = (ROOT / "requirements.lock").read_text()
    assert "://" not in text
    assert not re.search(r"^\s*-(?!-hash)", text, flags=re.MULTILINE)
    for requirement, _, hashes in locked_requirements(text):
        assert [specifier.operator for specifier in requirement.specifier] == ["=="]
        assert requirement.url is None
        assert hashes > 0, requirement


def test_version_is_the_same_everywhere():
    assert tinytf.__version__ == PROJECT["version"]


# ------------------------------------------------------------------- nothing of one machine in it

# Put together here, so that this file does not hold what it looks for.
FOREIGN = re.compile(
    "|".join(
        [
            r"(?<![\w.])/(?:work|root|opt)/\w",
            r"(?<![\w.])/home/\w",
            r"(?<![\w.])/tmp/(?:plan|ipykernel_\d)",
            "files" + r"\.pythonhosted\.",
            r"\bpypi" + r"\.(?:org|python)",
            "registry" + r"\.npmjs",
            "deb" + r"\.debian\.org",
        ]
    )
)


def tracked_files() -> list[Path]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    output = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = output.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_no_tracked_file_names_this_machine_or_a_registry():
    found = []
    for path in tracked_files():
        content = path.read_bytes()
        if b"\0" not in content:
            lines = content.decode("utf-8").splitlines()
            found += [
                f"{path.name}:{n}: {line}"
                for n, line in enumerate(lines, 1)
                if FOREIGN.search(line)
            ]
    assert not found


@pytest.mark.parametrize(
    "text", ["see /" + "work/main/x.py", "'/" + "home/ann'", "https://pypi" + ".org/simple"]
)
def test_what_is_looked_for_would_be_found(text):
    assert FOREIGN.search(text)


@pytest.mark.as_committed
def test_every_notebook_is_clean():
    result = run_python("scripts/notebooks", "--check")
    assert (result.returncode, result.stdout) == (0, "")


def test_a_notebook_with_widget_state_is_noticed_and_mended(tmp_path):
    path = tmp_path / "lesson.ipynb"
    output = {"output_type": "stream", "name": "stdout", "text": ["kept\n"]}
    # A trusted notebook would show an error in place of a widget whose state is gone.
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": ["words"]}
    widget = {"output_type": "display_data", "metadata": {}, "data": view}
    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "id": "a",
        "metadata": {"collapsed": False, "tags": ["predict"]},
        "outputs": [output, widget],
        "source": ["print('kept')"],
    }
    kernel = {"display_name": "my env", "language": "python", "name": "my-env"}
    metadata = {"widgets": {"state": {}}, "kernelspec": kernel}
    notebook = {"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook))
    check = run_python("scripts/notebooks", "--check", str(path))
    assert check.returncode == 1
    assert "saved widget state" in check.stdout
    assert "a widget without its state" in check.stdout
    assert "kernelspec" in check.stdout
    assert run_python("scripts/notebooks", "--fix", str(path)).returncode == 0
    mended = json.loads(path.read_text())
    words = {**widget, "data": {"text/plain": ["words"]}}
    assert mended["cells"][0]["outputs"] == [output, words]
    assert mended["cells"][0]["metadata"] == {"tags": ["predict"]}
    assert "widgets" not in mended["metadata"]


def test_a_notebook_that_names_the_machine_is_noticed(tmp_path):
    path = tmp_path / "lesson.ipynb"
    text = "File /" + "home/ann/course/x.py"
    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "id": "a",
        "metadata": {},
        "outputs": [{"output_type": "stream", "name": "stdout", "text": [text]}],
        "source": [],
    }
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = {"cells": [cell], "metadata": {"kernelspec": kernel}}
    path.write_text(json.dumps({**notebook, "nbformat": 4, "nbformat_minor": 5}))
    check = run_python("scripts/notebooks", "--check", str(path))
    assert check.returncode == 1
    assert "names this machine" in check.stdout


# -------------------------------------------------------------------------------------- the README


README = (ROOT / "README.md").read_text()


def code_blocks() -> list[tuple[str, str]]:
    """(language, text) of each fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def test_readme_gives_the_two_commands_first():
    blocks = [text.strip() for language, text in code_blocks() if not language]
    assert blocks[:2] == ["python3 start.py lab", "python3 start.py test"]


def test_readme_program_prints_what_the_readme_says(tmp_path):
    blocks = code_blocks()
    position = next(n for n, (language, _) in enumerate(blocks) if language == "python")
    program, expected = blocks[position][1], blocks[position + 1][1]
    result = run_python("-c", program, cwd=tmp_path)
    assert result.stderr == ""
    assert result.stdout == expected


def test_readme_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)|(?:src|srcset)=\"([^\"]+)\"", README)
    local = [target for pair in targets for target in pair if target and "://" not in target]
    assert local
    assert [target for target in local if not (ROOT / target).exists()] == []


# ------------------------------------------------------------------------------- start and command


def test_start_explains_itself():
    result = run_python("start.py", "--help")
    assert result.returncode == 0
    assert "start.py lab" in result.stdout
    assert run_python("start.py", "nonsense").returncode == 2


def set_up_command(program: str) -> subprocess.CompletedProcess[str]:
    """Have start.py run a program as a step of the set-up."""
    return run_python("-c", f"import start, sys; start.run(sys.executable, '-c', {program!r})")


def test_what_pip_warns_of_is_shown_only_where_the_set_up_fails():
    warning = "import sys; print('WARNING: a mirror is away', file=sys.stderr); "
    fine = set_up_command(warning + "print('installed')")
    assert (fine.returncode, fine.stdout, fine.stderr) == (0, "installed\n", "")
    failed = set_up_command(warning * 2 + "sys.exit('ERROR: no such package')")
    assert failed.returncode == 1
    assert failed.stderr.startswith("WARNING: a mirror is away\nERROR: no such package\nSet-up ")
    assert "Set-up failed (exit code 1)" in failed.stderr


def test_an_error_is_shown_even_where_the_set_up_goes_on():
    program = "import sys; print('ERROR: two packages do not agree', file=sys.stderr)"
    assert set_up_command(program).stderr == "ERROR: two packages do not agree\n"


# ---------------------------------------------------------------------- the last words of the tests


def last_words(path: Path, program: str) -> str:
    """What pytest says at the end of a run of a program's tests."""
    (path / "test_some.py").write_text(program)
    arguments = ("-q", "-n0", "-p", "conftest", "-p", "no:cacheprovider", f"--rootdir={ROOT}")
    result = run_python("-m", "pytest", *arguments, "-c", "pyproject.toml", str(path))
    return result.stdout


def test_after_tests_that_passed_it_says_so_before_it_lists_more(tmp_path):
    program = "import pytest\n\ndef test_a(): pass\n\n@pytest.mark.slow\ndef test_b(): pass\n"
    words = last_words(tmp_path, program)
    said, listed = "All 1 tests that were to run here have passed", "python3 start.py test --all"
    assert 0 < words.index(said) < words.index(listed)
    assert "1  tests that take longer, or ask a real TensorFlow" in words
    assert "1 passed" in words


def test_after_one_that_failed_it_does_not_say_that_all_passed(tmp_path):
    words = last_words(tmp_path, "def test_a(): pass\n\ndef test_b(): assert 1 == 2\n")
    assert "have passed" not in words
    assert "1 failed, 1 passed" in words
    assert "what else can be run" in words


def test_export_html_goes_on_in_the_environment(tmp_path):
    # As the README prints it, the system's Python runs the script: it has none of the packages.
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(ROOT / "scripts" / "export_html", tmp_path / "scripts")
    bare = ("-I", "-S", script, "lesson.ipynb")
    assert "Type:  python3 start.py setup" in run_python(*bare).stderr
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "goes on with" "$@"\n')
    python.chmod(0o755)
    assert run_python(*bare).stdout == f"goes on with {script} lesson.ipynb\n"


def test_an_older_python_is_told_so():
    ast.parse((ROOT / "start.py").read_text(), feature_version=(3, 6))  # or it could say nothing
    pretend = "import runpy, sys; sys.version_info = (3, 9, 2); sys.argv = ['start.py', 'test']"
    result = run_python("-c", f"{pretend}; runpy.run_path('start.py', run_name='__main__')")
    assert result.returncode == 1
    assert "needs Python 3.11 or later; this is 3.9.2" in result.stderr
    assert "Traceback" not in result.stderr


def test_every_module_can_be_imported():
    names = [module.name for module in pkgutil.walk_packages(tinytf.__path__, "tinytf.")]
    problems = [problem for name in names if (problem := import_problem(name))]
    assert len(names) > 10
    assert problems == []


def import_problem(name: str) -> str | None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("cupy", "nbgrader"):
            return f"{name}: {error}"
    return None


def test_doctor_finds_that_programs_run(tmp_path):
    result = run_python("-m", "tinytf", "doctor", "--json", cwd=tmp_path)
    report = json.loads(result.stdout)
    missing = [one for one in report["findings"] if one["required"] and not one["present"]]
    assert missing == []
    assert report["works"] is True
    assert result.returncode == 0


def test_doctor_is_plain_text_and_every_lack_has_a_remedy():
    from tinytf.cli import doctor

    findings = doctor.examine()
    text = doctor.as_text(findings, works=True)
    assert "\x1b" not in text
    assert {one.section for one in findings} >= {"Runs programs", "Devices", "The course", "Tests"}
    assert [one.name for one in findings if one.present == bool(one.remedy)] == []


def test_doctor_fails_when_something_required_is_missing(monkeypatch, capsys):
    from tinytf.cli import doctor

    lack = doctor.Finding(
        "Runs programs", "numpy", "not installed", False, True, "pip install numpy"
    )
    monkeypatch.setattr(doctor, "examine", lambda: [lack])
    assert doctor.run() == 1
    output = capsys.readouterr().out
    assert "missing  numpy" in output
    assert "-> pip install numpy" in output
