"""The figures: drawn by our own script, described in words, legible on light, dark and in grey."""

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "images"
FIGURES = sorted(path.name for path in IMAGES.glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
#: WCAG 2.1 AA: words, and outlines that carry meaning.
WORDS, OUTLINES = 4.5, 3.0


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/figures", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def parse(name: str) -> ElementTree.Element:
    return ElementTree.fromstring((IMAGES / name).read_text(encoding="utf-8"))


def luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def themes(name: str) -> list[str]:
    """The style sheets a reader may get: what stands outside the media query, then inside."""
    style = next(parse(name).iter(f"{SVG}style")).text or ""
    light, _, dark = style.partition("@media (prefers-color-scheme: dark)")
    return [light, dark] if dark else [light]


def colour(rules: str, selector: str, what: str = "fill") -> str:
    pattern = rf"{re.escape(selector)}(?:, [^{{]*)? {{ {what}: (#[0-9a-f]{{6}});"
    return re.search(pattern, rules).group(1)


def test_the_script_draws_the_committed_files_byte_for_byte():
    result = run_script("--check")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout


def test_the_script_draws_all_committed_pictures_and_no_others(tmp_path):
    assert run_script(str(tmp_path)).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == FIGURES


def test_a_changed_figure_is_noticed(tmp_path):
    run_script(str(tmp_path))
    changed = tmp_path / "01_pruning.svg"
    changed.write_bytes(changed.read_bytes().replace(b"15625", b"15626"))
    result = run_script("--check", str(tmp_path))
    assert result.returncode == 1
    assert result.stdout == f"{changed} is not what scripts/figures draws\n"


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_in_words_what_it_shows(name):
    root = parse(name)
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.get("role") == "img"
    assert root.get("aria-labelledby").split() == [title.get("id"), description.get("id")]
    assert len(title.text) > 10
    assert len(description.text) > 60


@pytest.mark.parametrize("name", FIGURES)
def test_words_stand_out_in_every_theme(name):
    texts = list(parse(name).iter(f"{SVG}text"))
    assert texts
    for rules in themes(name):
        for text in texts:
            role, surface = text.get("class").split()[0], text.get("data-on")
            ratio = contrast(colour(rules, f".{role}"), colour(rules, f".{surface}"))
            assert ratio >= WORDS, f"{text.text!r}: {ratio:.2f}"


@pytest.mark.parametrize("name", FIGURES)
def test_outlines_stand_out_in_every_theme(name):
    for rules in themes(name):
        for selector in (".outline", ".outline.idle", ".way.accent"):
            line = colour(rules, selector, "stroke")
            for surface in ("panel", "region", "op", "constant", "variable", "placeholder"):
                assert contrast(line, colour(rules, f".{surface}")) >= OUTLINES


@pytest.mark.parametrize("name", FIGURES)
def test_words_stay_inside_the_figure(name):
    # 0.65 em: wider than the widest of the fonts asked for.
    root = parse(name)
    for text in root.iter(f"{SVG}text"):
        wide = 0.65 * float(text.get("font-size")) * len(text.text)
        start = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor", "start")]
        left = float(text.get("x")) - start * wide
        assert left >= 0, text.text
        assert left + wide <= float(root.get("width")), text.text
        assert float(text.get("y")) < float(root.get("height")), text.text


def test_what_does_not_run_is_dashed_not_only_grey():
    dashed = [part for part in parse("01_pruning.svg") if "idle" in (part.get("class") or "")]
    assert len(dashed) >= 3  # the node and the two arrows to it
    assert "stroke-dasharray" in re.search(r"\.idle {([^}]*)}", themes("01_pruning.svg")[0]).group(
        1
    )


COCKPIT = [name for name in FIGURES if name.startswith("cockpit")]


@pytest.fixture
def cockpit_recording(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts" / "figures"))
    import cockpit_recording

    return cockpit_recording


def test_the_cockpit_plays_a_recording_of_its_program(cockpit_recording):
    kept = json.loads(cockpit_recording.KEPT.read_text())
    again = cockpit_recording.local()
    for what in ("counters", "edges"):
        assert kept[what] == again[what], "record it again: scripts/figures/cockpit_recording.py"
    counts = dict(kept["counters"])
    for event in kept["events"]:  # a counter goes down, and what is taken waits for nothing
        for node, count in event["counters"].items():
            assert count < counts[node]
            counts[node] = count
        assert event["kind"] != "take" or counts[event["node"]] == 0
    assert set(counts.values()) == {0}


def test_what_crosses_in_the_cockpit_are_the_edges_between_tasks(cockpit_recording):
    kept = json.loads(cockpit_recording.KEPT.read_text())
    task_of = {name: task for task, names in kept["tasks"].items() for name in names}
    assert sorted(task_of) == sorted(kept["counters"])
    cut = [[a, task_of[a], task_of[b]] for a, b in kept["edges"] if a in task_of]
    cut = sorted(edge for edge in cut if edge[1] != edge[2])
    assert [crossing[:3] for crossing in kept["crossings"]] == cut
    assert {size for *_, size in kept["crossings"]} == {4 * cockpit_recording.SIZE**2}


@pytest.mark.parametrize("name", COCKPIT)
def test_the_cockpit_is_light_needs_nothing_and_rests_for_whoever_wants_that(name):
    text = (IMAGES / name).read_text(encoding="utf-8")
    assert len(text.encode()) < 60_000
    assert not re.search(r"<script|<image|<foreignObject|@import|url\(|href", text)
    assert "(prefers-reduced-motion: reduce) { .m { animation: none !important; } }" in text
    named = set(re.findall(r"@keyframes (k\d+)", text))
    used = re.findall(r'class="m" style="[^"]*animation-name:([k\d,]+);', text)
    assert {one for names in used for one in names.split(",")} == named


def test_contrast_is_computed_as_the_standard_does():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
