"""Layouts with rooms: everything is in its room, what crosses comes down upon its copy."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tinytf.jupyter.rooms import lay_out_rooms


@st.composite
def houses(draw):
    """Nodes in rooms; an edge between rooms leads to a node that nothing else leads to."""
    rooms = draw(st.integers(1, 4))
    room_of = draw(st.lists(st.integers(0, rooms - 1), min_size=1, max_size=12))
    node = st.integers(0, len(room_of) - 1)
    wanted = draw(st.lists(st.tuples(node, node), max_size=20))
    edges, copies = [], {}
    for source, target in wanted:
        if room_of[source] == room_of[target]:
            edges.append((source, target))
            continue
        copy = copies.get((source, room_of[target]))
        if copy is None:
            copy = copies[source, room_of[target]] = len(room_of)
            room_of.append(room_of[target])
            edges.append((source, copy))
        edges.append((copy, target))
    size = st.tuples(st.floats(30, 160), st.floats(20, 60))
    sizes = draw(st.lists(size, min_size=len(room_of), max_size=len(room_of)))
    return sizes, edges, room_of, [90.0] * rooms, 60.0


@given(houses())
def test_every_node_is_in_its_room_and_none_overlap(house):
    sizes, edges, room_of, widths, labels = house
    plan = lay_out_rooms(sizes, edges, room_of, widths, labels)
    assert len(plan.rooms) == len(widths)
    for a, b in zip(plan.rooms, plan.rooms[1:], strict=False):
        assert b.left - (a.left + a.width) >= labels
    for box, number in zip(plan.layout.boxes, room_of, strict=True):
        room = plan.rooms[number]
        assert room.left < box.x - box.width / 2 < box.x + box.width / 2 < room.left + room.width
        assert room.top < box.top < box.bottom < room.top + room.height
    for a, b in combinations(plan.layout.boxes, 2):
        apart_x = abs(a.x - b.x) - (a.width + b.width) / 2
        apart_y = abs(a.y - b.y) - (a.height + b.height) / 2
        assert max(apart_x, apart_y) > 5
    last = plan.rooms[-1]
    assert last.left + last.width < plan.layout.width
    assert last.top + last.height < plan.layout.height


@given(houses())
def test_what_crosses_goes_through_no_box_and_has_a_track_of_its_own(house):
    sizes, edges, room_of, widths, labels = house
    plan = lay_out_rooms(sizes, edges, room_of, widths, labels)
    tracks = []
    for number, (source, target) in enumerate(edges):
        route = plan.layout.routes[number]
        (_, y0), (x1, y1) = route.points[0], route.points[-1]
        assert (y0, y1) == (plan.layout.boxes[source].bottom, plan.layout.boxes[target].top)
        assert abs(x1 - plan.layout.boxes[target].x) <= sizes[target][0] / 2
        if room_of[source] == room_of[target]:
            assert number not in plan.labels
            continue
        _, (left, y), (right, same), _ = route.points
        assert y == same
        assert y0 < y < y1
        for box in plan.layout.boxes:
            assert not box.top < y < box.bottom
        tracks.append((y, *sorted((left, right))))
        x, baseline = plan.labels[number]
        assert baseline < y
        assert not any(room.left < x < room.left + room.width for room in plan.rooms)
    for (y, left, right), (other, begin, end) in combinations(tracks, 2):
        assert abs(y - other) > 12 or right < begin or end < left


@given(houses())
def test_the_same_house_gives_the_same_drawing(house):
    assert lay_out_rooms(*house) == lay_out_rooms(*house)


def test_a_source_stands_next_to_what_needs_its_copy():
    # 0 -> 1 -> 2 -> 3 in one room; 4 in the other, whose copy 5 only the last of them needs
    edges = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 3)]
    plan = lay_out_rooms([(60, 30)] * 6, edges, [0, 0, 0, 0, 1, 0], [90, 90])
    boxes = plan.layout.boxes
    assert boxes[5].y == boxes[2].y
    assert boxes[4].y == boxes[1].y


def test_an_empty_house_has_its_rooms():
    plan = lay_out_rooms([], [], [], [90, 120])
    assert [room.width for room in plan.rooms] == [90, 120]
