"""Random graphs in random states: nothing is lost, nothing is shown twice, and nothing overlaps.

The browser's own code (static/graph_view_*.js) is run under node and compared with Python's.
"""

import json
import shutil
import subprocess
from collections import Counter
from itertools import chain, combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytf.jupyter import graph_view_tree
from tinytf.jupyter.graph_view import GraphView
from tinytf.jupyter.graph_view_nodes import Node, set_frames
from tinytf.jupyter.graph_view_tree import Tree, first_view, view_of
from tinytf.jupyter.graph_view_widget import SCRIPTS
from tinytf.jupyter.svg import static_text

MOST, MOST_ASIDE = 6, 2
TYPES = [
    "Add",
    "Add",
    "Add",
    "Const",
    "NoOp",
    "ScalarSummary",
    "SaveV2",
    "Enter",
    "Exit",
    "Merge",
    "NextIteration",
]


seeds = st.integers(0, 10**9)


@pytest.fixture(scope="module", autouse=True)
def small_limits():
    """So that small graphs are divided into parts, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_view_tree, "MOST_ITEMS", MOST)
        patch.setattr(graph_view_tree, "_FEW_ITEMS", 4)
        patch.setattr(graph_view_tree, "_MOST_ASIDE", MOST_ASIDE)
        yield


def random_nodes(seed, most=60):
    """Nodes in scopes, with edges of any direction: cycles, loops and islands among them."""
    random = Random(seed)
    count = random.randint(1, most)
    scopes = [random.choices("abc", k=random.randint(0, 3)) for _ in range(random.randint(1, 6))]
    nodes, names = [], set()
    for number in range(count):
        scope, last = random.choice(scopes), random.choice(["a", "b", f"n{number}", f"n{number}"])
        name = "/".join([*scope, last])
        name = f"{name}_{number}" if name in names else name
        names.add(name)
        kind = random.choice(TYPES)
        attrs = (("frame_name", random.choice("fg")),) if kind == "Enter" else ()
        nodes.append(Node(name, kind, path=name, outputs=["float32 (?, 3)"], attrs=attrs))
    for _ in range(random.randint(0, 2 * count)):
        source, target = random.randrange(count), random.randrange(count)
        if random.random() < 0.7:  # most graphs are built in order
            source, target = sorted((source, target))
        if random.random() < 0.2:
            nodes[target].controls.append(source)
        else:
            nodes[target].inputs.append((source, 0))
    set_frames(nodes)
    return nodes


def some_groups(seed, tree):
    """Some groups, open; whether what they are in is open as well or not."""
    random = Random(seed)
    share = random.random()
    return {
        number + len(tree.nodes) for number in range(len(tree.groups)) if random.random() < share
    }


# ---------------------------------------------------------------------------------- the tree itself


@given(seeds)
def test_every_item_is_in_the_tree_exactly_once(seed):
    nodes = random_nodes(seed)
    tree = Tree(nodes)
    children = Counter(chain.from_iterable(group.children for group in tree.groups))
    assert set(children) == set(range(len(tree.parent))) - {tree.root}
    assert set(children.values()) <= {1}
    for number, group in enumerate(tree.groups):
        for child in group.children:
            assert tree.parent[child] == number + len(nodes)
        assert len(group.children) <= MOST + MOST_ASIDE
    assert tree.root not in tree.aside
    assert tree.sizes[tree.root] == len(nodes)


@given(seeds)
def test_every_node_and_every_edge_is_shown_exactly_once_whatever_is_open(seed):
    nodes = random_nodes(seed)
    tree = Tree(nodes)
    opened = some_groups(seed, tree)
    view = view_of(tree, opened)
    for number, item in enumerate(view.shown):
        groups = [number, *tree.path_of(number)]
        assert item in groups
        around = groups[groups.index(item) + 1 :]
        assert all(group in opened or group == tree.root for group in around)
        assert item == number or item not in opened
    shown = Counter(chain(*view.lines.values(), *view.beside.values(), *view.inside.values()))
    assert shown == Counter(range(len(tree.edges)))
    for (a, b), numbers in [*view.lines.items(), *view.beside.items()]:
        for number in numbers:
            source, target, _ = tree.edges[number]
            assert (view.shown[source], view.shown[target]) == (a, b)
    for item, numbers in view.inside.items():
        assert tree.is_group(item)
        assert all(item in tree.path_of(tree.edges[number][0]) for number in numbers)


@given(seeds)
def test_a_view_of_everything_open_shows_every_node_itself(seed):
    nodes = random_nodes(seed)
    tree = Tree(nodes)
    view = view_of(tree, range(len(nodes), len(tree.parent)))
    assert view.shown == list(range(len(nodes)))
    assert not view.inside


@given(seeds)
def test_the_first_view_is_readable_and_is_reached_from_the_outside(seed):
    nodes = random_nodes(seed)
    tree = Tree(nodes)
    opened = first_view(tree)
    assert all(tree.parent[item] in opened for item in opened - {tree.root})
    children = {child for item in opened for child in tree.group(item).children}
    boxes = len(children - opened)
    assert boxes <= max(MOST, len(tree.group(tree.root).children))


@given(seeds)
def test_cycles_are_cycles_and_lead_once_around(seed):
    nodes = random_nodes(seed)
    tree = Tree(nodes)
    edges = {(source, target) for source, target, _ in tree.edges}
    for cycle in tree.cycles:
        assert len(set(cycle)) == len(cycle)
        for at, node in enumerate(cycle):
            assert (node, cycle[(at + 1) % len(cycle)]) in edges


@given(seeds)
def test_a_graph_without_back_edges_has_no_cycle(seed):
    nodes = random_nodes(seed)
    for number, node in enumerate(nodes):
        node.inputs = [(source, 0) for source, _ in node.inputs if source < number]
        node.controls = [source for source in node.controls if source < number]
    assert Tree(nodes).cycles == []


@given(seeds)
def test_it_always_has_words_and_a_drawing(seed):
    nodes = random_nodes(seed)
    view = GraphView(nodes, "Anything.")
    assert repr(view).startswith("Anything.")
    assert view.svg().count('class="tinytf-node"') == len(view.tree.group(view.tree.root).children)


# ---------------------------------------------------------------------------- in the browser's code

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node")
COMPARE = """
import { readFileSync } from "node:fs";
import { above, layOut, prepare, sizeOf, viewOf } from "./graph_view.mjs";
const answers = JSON.parse(readFileSync("questions.json")).map(({ content, open, across }) => {
  const graph = prepare(content);
  const [opened, aside] = [new Set(open), new Set(graph.aside)];
  const view = viewOf(graph, opened, aside);
  const plan = layOut(graph, opened, aside, view, (item) => sizeOf(graph, item), across);
  const pairs = (lines) => lines.map((line) => [[line.source, line.target], line.edges]);
  return {
    shown: view.shown, lines: pairs(view.lines), beside: pairs(view.beside),
    inside: [...view.inside], width: plan.width, height: plan.height, pieces: plan.lines,
    boxes: [...plan.boxes].map(([item, box]) => ({ item, group: graph.parent[item], ...box })),
  };
});
console.log(JSON.stringify(answers));
"""


def ask_the_browser(questions, folder):
    (folder / "graph_view.mjs").write_text("\n".join(map(static_text, SCRIPTS)))
    (folder / "questions.json").write_text(json.dumps(questions))
    (folder / "compare.mjs").write_text(COMPARE)
    done = subprocess.run(
        ["node", "compare.mjs"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
def test_the_javascript_is_valid(tmp_path):
    script = tmp_path / "graph_view.mjs"
    script.write_text("\n".join(map(static_text, SCRIPTS)))
    subprocess.run(["node", "--check", script], check=True, timeout=30)


@needs_node
@pytest.mark.parametrize("across", [False, True])
def test_the_browser_shows_the_same_and_nothing_overlaps(tmp_path, across):
    asked = [random_nodes(seed) for seed in range(40)]
    trees = [Tree(nodes) for nodes in asked]
    opened = [some_groups(seed, tree) for seed, tree in enumerate(trees)]
    questions = [
        {"content": GraphView(nodes, "").content(), "open": sorted(some), "across": across}
        for nodes, some in zip(asked, opened, strict=True)
    ]
    answers = ask_the_browser(questions, tmp_path)
    for tree, some, answer in zip(trees, opened, answers, strict=True):
        view = view_of(tree, some)
        assert answer["shown"] == view.shown
        for kind in ("lines", "beside"):
            drawn = {tuple(pair): numbers for pair, numbers in answer[kind]}
            assert drawn == getattr(view, kind)
        assert dict(answer["inside"]) == view.inside
        check_boxes(tree, some, view, answer)
        check_lines(tree, view, turned(answer) if across else answer)


def turned(answer):
    """A drawing that runs to the right, as one that runs down."""
    sides = {"left": "top", "top": "left", "width": "height", "height": "width"}
    boxes = [{sides.get(key, key): n for key, n in box.items()} for box in answer["boxes"]]
    pieces = [
        {**piece, "points": [point[::-1] for point in piece["points"]]}
        for piece in answer["pieces"]
    ]
    return {**answer, "boxes": boxes, "pieces": pieces}


def check_boxes(tree, opened, view, answer):
    boxes = {box["item"]: box for box in answer["boxes"]}
    closed = {item for item in boxes if not (tree.is_group(item) and item in opened)}
    assert closed >= set(view.shown)
    siblings = {}
    for item, box in boxes.items():
        siblings.setdefault(box["group"], []).append(box)
        outer = boxes.get(
            box["group"],
            {"left": 0, "top": 0, "width": answer["width"], "height": answer["height"]},
        )
        assert box["left"] >= outer["left"]
        assert box["top"] >= outer["top"]
        assert box["left"] + box["width"] <= outer["left"] + outer["width"] + 0.01
        assert box["top"] + box["height"] <= outer["top"] + outer["height"] + 0.01
        assert box["group"] == tree.parent[item]
    for boxes_of_group in siblings.values():
        for a, b in combinations(boxes_of_group, 2):
            apart_x = max(b["left"] - a["left"] - a["width"], a["left"] - b["left"] - b["width"])
            apart_y = max(b["top"] - a["top"] - a["height"], a["top"] - b["top"] - b["height"])
            assert max(apart_x, apart_y) > 5


def check_lines(tree, view, answer):
    """The pieces of a line lead from the box that sends to the one that receives."""
    boxes = {box["item"]: box for box in answer["boxes"]}
    pieces = {}
    for piece in answer["pieces"]:
        for edge in piece["edges"]:
            pieces.setdefault(edge, []).append(piece)
    for (a, b), numbers in view.lines.items():
        for number in numbers:
            way = {tuple(piece["points"][0]): piece for piece in pieces[number]}
            point = next(
                start for start, piece in way.items() if piece["from"] == a and a == piece["source"]
            )
            sender, receiver = boxes[a], boxes[b]
            assert sender["left"] <= point[0] <= sender["left"] + sender["width"]
            assert point[1] == pytest.approx(sender["top"] + sender["height"], abs=0.2)
            for _ in range(len(way)):
                end = way.pop(point)["points"][-1]
                if not way:
                    break
                point = min(way, key=lambda p: abs(p[0] - end[0]) + abs(p[1] - end[1]))
                assert point == pytest.approx(end, abs=0.2)
            assert receiver["left"] <= end[0] <= receiver["left"] + receiver["width"]
            assert end[1] == pytest.approx(receiver["top"], abs=0.2)
