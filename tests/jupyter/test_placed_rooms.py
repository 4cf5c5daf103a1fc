"""Layouts with rooms: everything is in its room, rooms are as high as what they hold."""

import json
import shutil
import subprocess
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytf.jupyter.layout import Box
from tinytf.jupyter.rooms import EDGE, GAP, PAD, TITLE, curve, find_pieces, pack, plan_floor
from tinytf.jupyter.trace import script


@st.composite
def houses(draw):
    """Nodes in rooms, with edges inside of them and between them."""
    rooms = draw(st.integers(1, 4))
    room_of = draw(st.lists(st.integers(0, rooms - 1), min_size=1, max_size=12))
    node = st.integers(0, len(room_of) - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=20))
    size = st.tuples(st.integers(30, 160), st.integers(20, 60))
    sizes = draw(st.lists(size, min_size=len(room_of), max_size=len(room_of)))
    return sizes, edges, room_of, [90.0] * rooms


def is_apart(a, b, gap):
    return (
        a.left + a.width + gap <= b.left + 1e-6
        or b.left + b.width + gap <= a.left + 1e-6
        or a.top + a.height + gap <= b.top + 1e-6
        or b.top + b.height + gap <= a.top + 1e-6
    )


@given(houses())
def test_a_piece_is_what_hangs_together_in_one_room(house):
    sizes, edges, room_of, _ = house
    pieces = find_pieces(sizes, edges, room_of)
    assert sorted(node for piece in pieces for node in piece.nodes) == list(range(len(sizes)))
    inside = [n for n, (a, b) in enumerate(edges) if room_of[a] == room_of[b]]
    assert sorted(number for piece in pieces for number in piece.edges) == inside
    for piece in pieces:
        assert {room_of[node] for node in piece.nodes} == {piece.room}
        for number in piece.edges:
            assert set(edges[number]) <= set(piece.nodes)
        assert len(piece.layout.boxes) == len(piece.nodes)


@pytest.mark.parametrize("room", [0, 2])
def test_what_arrives_stands_on_the_side_that_it_comes_from(room):
    sizes, edges = [(60, 30)] * 4, [(0, 1), (2, 1), (3, 2)]  # 3 sends to 2, beside 0
    pieces = find_pieces(sizes, edges, [1, 1, 1, room])
    piece = next(piece for piece in pieces if piece.room == 1)
    own, arrived = (piece.layout.boxes[piece.nodes.index(node)] for node in (0, 2))
    assert (arrived.x < own.x) == (room == 0)
    assert 0 < min(own.x, arrived.x) < max(own.x, arrived.x) < piece.layout.width
    for number, route in zip(piece.edges, piece.layout.routes, strict=True):
        ends = [piece.layout.boxes[piece.nodes.index(node)] for node in edges[number]]
        for (x, _), box in zip((route.points[0], route.points[-1]), ends, strict=True):
            assert abs(x - box.x) <= box.width / 2


SIZES = st.lists(st.tuples(st.integers(10, 300), st.integers(10, 200)), max_size=12)


@given(SIZES, st.integers(200, 900), st.sampled_from([0, 20]))
def test_what_is_packed_does_not_overlap_and_is_as_wide_as_told(sizes, width, gap):
    areas = pack(sizes, width, gap)
    assert [(area.width, area.height) for area in areas] == sizes
    for a, b in combinations(areas, 2):
        assert is_apart(a, b, gap)
    for area in areas:
        assert area.left == 0 or area.left + area.width <= width


@given(houses(), st.sampled_from([400, 900, 1500]))
def test_rooms_hold_their_pieces_and_nothing_more(house, width):
    sizes, edges, room_of, least = house
    pieces = find_pieces(sizes, edges, room_of)
    given_sizes = [(piece.room, piece.layout.width, piece.layout.height) for piece in pieces]
    plan = plan_floor(given_sizes, least, width)
    for a, b in combinations(plan.rooms, 2):
        assert is_apart(a, b, GAP)
    lowest = [room.top + TITLE for room in plan.rooms]
    for (room, wide, high), (x, y) in zip(given_sizes, plan.corners, strict=True):
        area = plan.rooms[room]
        assert area.left + PAD <= x + 1e-6
        assert x + wide <= area.left + area.width - PAD + 1e-6
        assert area.top + TITLE <= y
        lowest[room] = max(lowest[room], y + high)
    for room, low in zip(plan.rooms, lowest, strict=True):
        assert room.top + room.height == pytest.approx(low + PAD)  # no empty column
        assert room.left + room.width + EDGE <= plan.width + 1e-6
        assert room.top + room.height + EDGE <= plan.height + 1e-6


def test_a_narrow_page_has_its_rooms_below_each_other_and_a_wide_one_side_by_side():
    pieces = [(0, 300.0, 100.0), (1, 300.0, 100.0)]
    narrow, wide = (plan_floor(pieces, [90, 90], width) for width in (400, 900))
    assert narrow.rooms[0].left == narrow.rooms[1].left
    assert wide.rooms[0].top == wide.rooms[1].top
    assert wide.height < narrow.height


def test_an_empty_house_has_its_rooms():
    plan = plan_floor([], [90, 120], 500)
    assert [room.width for room in plan.rooms] == [90, 120]


def test_an_edge_leaves_on_the_side_that_looks_at_its_target():
    a, right, below = Box(100, 100, 60, 30), Box(400, 120, 60, 30), Box(120, 300, 60, 30)
    line, tip = curve(a, right)
    assert line.startswith("M130.0 100.0C")
    assert tip[0] == (370, 120)
    line, tip = curve(a, below)
    assert line.startswith("M100.0 115.0C")
    assert tip[0] == (120, 285)
    assert curve(right, a)[1][0] == (130, 100)
    assert curve(below, a)[1][0] == (100, 115)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_javascript_lays_out_by_the_same_rules(tmp_path):
    pieces = [(0, 310.4, 120.2), (1, 200.5, 333.3), (0, 96.0, 54.0), (2, 420.0, 80.0), (1, 88, 54)]
    least, widths = [110.0, 180.0, 110.0, 140.0], [380, 700, 1100, 1500]
    boxes = [Box(100, 100, 60, 30), Box(400, 120, 80, 30), Box(120, 300, 60, 40)]
    ends = [(a, b) for a in boxes for b in boxes if a is not b]
    (tmp_path / "rooms.mjs").write_text(script("page.js", "rooms_plan.js", "rooms.js"))
    plain = [
        [{k: getattr(box, k) for k in ("x", "y", "width", "height")} for box in e] for e in ends
    ]
    (tmp_path / "all.mjs").write_text(
        'import { curve, planFloor } from "./rooms.mjs";\n'
        f"const plans = {widths}.map((width) =>"
        f" planFloor({json.dumps(pieces)}, {least}, width));\n"
        f"const ways = {json.dumps(plain)}.map(([a, b]) => curve(a, b));\n"
        "console.log(JSON.stringify({ plans, ways }));\n"
    )
    done = subprocess.run(
        ["node", "all.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    for width, told in zip(widths, answer["plans"], strict=True):
        plan = plan_floor(pieces, least, width)
        assert (told["width"], told["height"]) == (plan.width, plan.height)
        rooms = [[room.left, room.top, room.width, room.height] for room in plan.rooms]
        assert told["rooms"] == rooms
        assert told["corners"] == [list(corner) for corner in plan.corners]
    for (a, b), (line, tip) in zip(ends, answer["ways"], strict=True):
        assert (line, [tuple(point) for point in tip]) == curve(a, b)
