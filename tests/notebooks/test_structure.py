"""What all lessons share: a title, an opening, a closing, pictures in words, links that lead."""

import json
import re
import runpy
from itertools import pairwise

import pytest

from tests.notebooks.reading import (
    ASKING,
    CHAPTERS,
    IMAGE,
    LINK,
    NAMES,
    NOTEBOOKS,
    ROOT,
    cells,
    error,
    headings,
    printed,
    programs,
    prose,
    tags,
)
from tinytf.cli import short_path

pytestmark = pytest.mark.as_committed

CLOSING = ["Summary", "What differs from real TensorFlow", "Exercises", "Where next"]
#: Bytes that the outputs of one cell may take: a lesson's output is meant to be read.
LARGEST_OUTPUT = 70_000


def test_there_are_notebooks():
    assert NAMES[:2] == ["00_start_here.ipynb", "01_graphs_and_sessions.ipynb"]


@pytest.mark.parametrize("name", NAMES)
def test_one_title_and_it_comes_first(name):
    levels = headings(name)
    assert [level for level, _ in levels].count(1) == 1
    assert levels[0][0] == 1
    assert cells(name)[0]["source"].startswith("# ")


@pytest.mark.parametrize("name", NAMES)
def test_no_level_of_headings_is_left_out(name):
    levels = [level for level, _ in headings(name)]
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_opens_like_all_others(name):
    opening = cells(name)[0]["source"]
    number = int(name[:2])
    assert re.match(rf"# {number}\. \S", opening)
    wanted = ["**In this chapter you learn**", "**You need:**", "**Time:**"]
    assert [words for words in wanted if words not in opening] == []
    assert IMAGE.search(opening)
    assert "](00_start_here.ipynb)" in opening
    assert headings(name)[1] == (2, "Before you start")


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_closes_like_all_others(name):
    seconds = [words for level, words in headings(name) if level == 2]
    assert seconds[-len(CLOSING) :] == CLOSING
    last = prose(name)[-1]
    assert "**Next:**" in last
    assert "](00_start_here.ipynb)" in last


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_is_described_and_exists(name):
    pictures = IMAGE.findall("\n".join(prose(name)))
    assert pictures
    for words, target in pictures:
        assert len(words) > 40, target
        assert (NOTEBOOKS / target).is_file(), target
    assert "<img" not in "\n".join(prose(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name):
    for _words, target in LINK.findall("\n".join(prose(name))):
        path, _, place = target.partition("#")
        if "://" in path:
            continue
        assert (NOTEBOOKS / path).exists() if path else True, target
        if place:
            there = headings(path or name)
            assert place in [words.replace(" ", "-") for _, words in there], target


def test_the_map_links_what_there_is_and_nothing_else():
    text = "\n".join(prose("00_start_here.ipynb"))
    rows = re.findall(r"^\| (\d+) \| (.+?) \|", text, flags=re.MULTILINE)
    assert [int(number) for number, _ in rows] == [int(name[:2]) for name in CHAPTERS]
    for number, words in rows:
        exists = any(name.startswith(f"{int(number):02d}_") for name in NAMES)
        assert ("](" in words) == exists, words
        assert ("not there yet" in words) != exists, words


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_committed_as_run_from_top_to_bottom(name):
    counts = [cell["execution_count"] for cell in programs(name)]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_small_and_free_of_widget_state_and_warnings(name):
    for cell in programs(name):
        assert len(json.dumps(cell["outputs"])) < LARGEST_OUTPUT, cell["id"]
        streams = [output.get("name") for output in cell["outputs"]]
        # What a task's cell failed with comes there: tracebacks, before the notebook's own.
        fails_in_a_task = cell["source"].startswith("%%task") and "raises-exception" in tags(cell)
        assert "stderr" not in streams or fails_in_a_task, cell["id"]


@pytest.mark.parametrize("name", NAMES)
def test_widgets_are_committed_as_text_and_pictures(name):
    # The number of a widget's model means nothing in another kernel: JupyterLab would complain.
    kinds = [
        kind for cell in programs(name) for out in cell["outputs"] for kind in out.get("data", {})
    ]
    assert "application/vnd.jupyter.widget-view+json" not in kinds


@pytest.mark.parametrize("name", NAMES)
def test_code_fits_beside_the_side_bar(name):
    lines = [line for cell in programs(name) for line in cell["source"].splitlines()]
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("name", NAMES)
def test_errors_are_shown_on_purpose_and_only_where_announced(name):
    for cell in programs(name):
        assert (error(cell) is not None) == ("raises-exception" in tags(cell)), cell["id"]


@pytest.mark.parametrize("name", sorted({*CHAPTERS} & {*ASKING}))
def test_a_chapter_has_a_short_path_and_its_depth_is_marked_and_folded(name):
    short = short_path.short(cells(name))
    assert len(short) < len(cells(name))
    for cell in cells(name):
        words = re.match(r"#+ (In depth: )?", cell["source"])
        is_marked = bool(words and words[1]) and cell["cell_type"] == "markdown"
        assert is_marked == ("depth" in tags(cell)), cell["id"]
        assert is_marked == bool(cell["metadata"].get("jp-MarkdownHeadingCollapsed")), cell["id"]


@pytest.mark.parametrize("name", sorted({*CHAPTERS} & {*ASKING}))
def test_a_section_after_depth_begins_its_own_cell(name):
    """Else it would be folded away, and missing in the short path."""
    level = 0  # of the depth that one is in
    for cell in cells(name):
        if cell["cell_type"] != "markdown":
            continue
        for begins, signs in all_headings(cell["source"]):
            assert begins or not level or signs > level, cell["id"]
            if not level or signs <= level:
                level = signs if "depth" in tags(cell) else 0


def all_headings(text):
    """Each heading of a text: whether the text begins with it, and its level."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for found in re.finditer(r"^(#+) ", prose, re.MULTILINE):
        yield found.start() == 0, len(found[1])


def test_the_times_in_the_map_and_in_the_chapters_are_those_that_are_counted(capsys):
    script = runpy.run_path(str(ROOT / "scripts" / "times"))
    assert script["main"](["--check"]) == 0, capsys.readouterr().out
    for name in {*CHAPTERS} & {*ASKING}:
        short, _whole, _exercises = script["times_of"](script["read"](NOTEBOOKS / name))
        assert 25 <= short <= 40, name


@pytest.mark.parametrize("name", NAMES)
def test_nothing_printed_changes_from_run_to_run(name):
    changing = re.compile(
        r"0x[0-9a-f]{6,}|localhost:\d+|127\.0\.0\.1:\d+|\bpid \d+|\d{4}-\d\d-\d\d"
    )
    for cell in programs(name):
        if "nbval-ignore-output" not in tags(cell):
            assert not changing.search(printed(cell)), cell["id"]


def test_the_readme_and_the_first_page_agree_on_the_chapters():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"(notebooks/{name})" in readme
