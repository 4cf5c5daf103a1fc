"""The widget of timelines, its script: what is in sight, where names go, and what is told."""

import json
import shutil
import subprocess

import numpy as np
import pytest

import tinytf.jupyter
from tests.jupyter.test_timelines import GPU
from tests.tracing.test_chrome_trace import CPU, stats_of
from tinytf.jupyter.trace import script


@pytest.fixture(scope="module")
def long_content():
    """Two steps of 500 runs on three threads: what the browser gets."""
    from tinytf.jupyter.timeline_widget import content_of

    generator = np.random.default_rng(3)
    starts = np.sort(generator.integers(0, 100_000, 500))
    ends = starts + generator.integers(1, 900, 500)
    stats = stats_of(
        *(
            (CPU, n % 3 + 1, f"n{n}", f"n{n} = Neg(x)", int(start), int(end))
            for n, (start, end) in enumerate(zip(starts, ends, strict=True))
        )
    )
    return content_of(tinytf.jupyter.timeline([stats, stats]))


def run_script(tmp_path, content, check):
    """Run `check` behind the widget's script, with `content` there; it throws if it fails."""
    files = ("clock.js", "page.js", "timeline_layout.js", "timeline_draw.js", "timeline.js")
    whole = script(*files).replace("export default", "const widget =")
    path = tmp_path / "check.mjs"
    path.write_text(f"{whole}\nconst content = {json.dumps(content)};\n{check}")
    done = subprocess.run(["node", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node")


@needs_node
def test_the_script_finds_what_is_in_sight(tmp_path, long_content):
    """Whatever is zoomed to: each box in sight is drawn alone or in a crowd, others are not."""
    check = """
for (const aligned of [false, true]) {
  const place = layout(content, { aligned });
  for (let from = 0; from < place.total; from += place.total / 13) {
    for (const span of [50, 3000, place.total]) {
      const to = from + span;
      for (const { tracks } of place.rows) for (const track of tracks) {
        const marks = marksOf(track, { from, to }, 700 / span, 0, to, content.boxes.many);
        const drawn = marks.reduce((sum, mark) => sum + mark.count, 0);
        const wanted = track.ids.filter((n) => place.endOf(n) >= from && place.startOf(n) <= to);
        if (drawn !== wanted.length) throw new Error(`${drawn} of ${wanted.length}`);
        marks.forEach(({ n, left, right }, i) => {
          if (!wanted.includes(n)) throw new Error("out of sight");
          if (right - left < 0.99) throw new Error("too narrow to be seen");
          if (i && left < marks[i - 1].right - 1.01) throw new Error("one on the other");
        });
      }
    }
  }
}
const texts = [0, 350, 1250, 13.1e6, 2e9].map(duration);
if (texts.join() !== "0 ns,350 ns,1.25 µs,13.1 ms,2 s") throw new Error(texts.join());
"""
    run_script(tmp_path, long_content, check)


@needs_node
@pytest.mark.parametrize("width", [480, 1600])
def test_names_in_the_widget_are_whole_and_touch_no_other_one(tmp_path, long_content, width):
    check = """
const place = layout(content, { width: WIDTH });
let named = 0;
for (const part of [1, 0.3, 0.05, 0.01]) {
  const from = (place.total / 3) * (1 - part);
  const view = { from, to: from + place.total * part };
  for (const [row, marks] of inSight(place, content, view, 0, place.height)) {
    const lines = {};
    for (const { n, count, text, x, line, depth, isInside, left, right } of marks) {
      if (!text) continue;
      if (count === 1 && text !== nameOf(content, n)) throw new Error(`${text} is not whole`);
      const end = x + text.length * CHARACTER;
      if (x < place.gutter || end > place.width) throw new Error(`${text} is cut`);
      if (isInside && (x < left || end > right)) throw new Error(`${text} sticks out`);
      (lines[line ? `below ${line}` : depth] ??= []).push([x, end]);
      named += 1;
    }
    for (const line of Object.values(lines)) {
      line.sort((a, b) => a[0] - b[0]);
      line.forEach(([x], i) => { if (i && x < line[i - 1][1]) throw new Error("names touch"); });
    }
  }
}
if (named < 20) throw new Error(`${named} names`);
if (place.isNarrow !== WIDTH < 600) throw new Error("gutter");
"""
    run_script(tmp_path, long_content, check.replace("WIDTH", str(width)))


@needs_node
def test_the_script_says_why_not_sooner(tmp_path):
    check = """
const place = layout(content);
const teller = makeTeller(content, () => place, new Map());
const why = content.boxes.node.map((node, n) => teller.why(n));
const at = (...texts) => {
  const is = (said) => texts.every((text) => said.includes(text));
  if (!why.some(is)) throw new Error(why.join("|"));
};
at("Its last input came from y, at +9 µs.", "it waited 10 µs while this thread ran busy, until +1");
at("It receives what y/_0 sent: that was sent at +21 µs and was here at +25 µs.");
at("It needs no inputs; it started as soon as it was ready.");
"""
    stats = stats_of(
        (CPU, 1, "y", "y = MatMul()", 0, 9000, 0),
        (CPU, 1, "busy", "busy = Neg(y)", 9500, 19_000, 9000),
        (CPU, 1, "y/_0", f"y/_0 = _Send(y, edge_0_y @{GPU})", 19_000, 21_000, 9000),
        (GPU, 5, "y/_1", f"[8B] edge_0_y from {CPU} to {GPU}", 22_000, 25_000, 22_000),
    )
    from tinytf.jupyter.timeline_widget import content_of

    run_script(tmp_path, content_of(tinytf.jupyter.timeline(stats)), check)
