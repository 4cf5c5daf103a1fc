import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import report
from benchmarks.rows import ROWS, Row

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_the_quick_pass_runs_and_keeps_its_rows(tmp_path):
    kept = tmp_path / "rows.json"
    done = run("--quick", "--json", str(kept))
    assert done.returncode == 0, done.stderr
    (rows,) = report.read([kept])
    assert [row["row"] for row in rows] == [n for row in ROWS if row.is_quick for n in row.names]
    for row in rows:
        assert all(value > 0 for value in row["values"].values())
        assert row.keys() >= {"commit", "date", "processors", "cpu", "versions", "load"}


def test_a_name_that_no_row_has_is_refused():
    assert "no row has such a name" in run("--quick", "--only", "nothing").stderr


def row_of(once, name="a row"):
    @contextmanager
    def opened(sides, kinds):
        yield once

    return Row(name, ("tinytf", "other"), opened, is_quick=True)


def test_a_row_that_fails_leaves_the_others(monkeypatch, capsys):
    def fails(order):
        raise RuntimeError("it ended")

    rows = [row_of(fails), row_of(lambda order: {kind: [2.0] for kind in order}, "another")]
    monkeypatch.setattr(command, "ROWS", rows)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--quick"])
    assert command.main() == 1
    printed = capsys.readouterr()
    assert "another" in printed.out
    assert "a row: RuntimeError: it ended" in printed.err


def test_a_pair_that_is_far_off_is_measured_again(monkeypatch):
    monkeypatch.setattr(command, "stolen", lambda: 0.0)
    found = iter([1.0, 1.1, 9.0, 1.2])
    orders = []

    def once(order):
        orders.append(list(order))
        return {"tinytf": [next(found)], "other": [1.0]}

    pairs, repeats = command.measure(row_of(once), None, ["tinytf", "other"], 3)
    assert ([pair["tinytf"] for pair in pairs], repeats) == ([[1.0], [1.1], [1.2]], 1)
    assert orders[0] == orders[1][::-1]


def test_the_page_is_what_the_kept_rows_say():
    runs = report.read(sorted(report.HISTORY.glob("*.json")))
    text = report.PAGE.read_text()
    assert report.page(text, runs) == text, "write it anew: python -m benchmarks.report"
    assert report.plot.picture(runs, report.target_of) == report.PICTURE.read_text()


def test_runs_of_one_commit_count_as_one_in_their_medians(tmp_path):
    def run(commit, ratio, load):
        line = {"row": "r", "values": {"tinytf": ratio, "tensorflow": 1.0}, "ratio": ratio}
        line |= {"spread": [ratio - 0.1, ratio + 0.1], "load": load}
        (tmp_path / f"{commit}{load}").write_text(f'{{"commit":"{commit}"}}\n{json.dumps(line)}\n')

    run("a", 9.0, 1.0)
    for ratio, load in ((3.0, 1.0), (1.0, 3.0), (2.0, 2.0)):
        run("b", ratio, load)
    [old], [new] = report.read(sorted(tmp_path.iterdir()))
    assert (old["commit"], old["ratio"], new["commit"], new["ratio"]) == ("a", 9.0, "b", 2.0)
    assert (new["values"], new["load"]) == ({"tinytf": 2.0, "tensorflow": 1.0}, 3.0)
    assert new["spread"] == pytest.approx([0.9, 3.1])


def test_each_row_of_the_suite_is_on_the_page():
    kept = report.newest(report.read(sorted(report.HISTORY.glob("*.json"))))
    assert {line["row"] for line in kept} == {name for row in ROWS for name in row.names}


def test_a_picture_shows_rows_beside_tensorflow_and_what_they_were():
    def line(ratio, commit):
        values = {"tinytf": ratio, "tensorflow": 1.0}
        spread = [ratio / 2, ratio * 2]
        return {"row": "room: a", "values": values, "ratio": ratio, "spread": spread} | {
            "commit": commit
        }

    drawn = report.plot.picture([[line(2.0, "old")], [line(0.5, "new")]], report.target_of)
    assert ">0.5<" in drawn
    assert drawn.count('<circle class="worse"') == 1
    assert drawn.count('<circle class="better"') == 2  # the row's own, and its last
