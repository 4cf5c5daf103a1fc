"""Layouts: nothing overlaps, every edge is drawn and goes around the boxes, always the same."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from tinytf.jupyter.layout import LAYER_GAP, lay_out


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 14))
    size = st.tuples(st.floats(20, 160), st.floats(20, 60))
    sizes = draw(st.lists(size, min_size=count, max_size=count))
    node = st.integers(0, count - 1)
    return sizes, draw(st.lists(st.tuples(node, node), max_size=28))


def way(route):
    """Points along a route, close to each other; swings as the drawing draws them."""
    points = route.points
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        for step in range(21):
            t = step / 20
            if route.is_back or number % 2 == 0:
                yield x0 + (x1 - x0) * t, y0 + (y1 - y0) * t
            else:  # the cubic with vertical ends, as svg.py writes it
                middle = (y0 + y1) / 2
                a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
                yield (a + b) * x0 + (c + d) * x1, a * y0 + (b + c) * middle + d * y1


def is_inside(point, box):
    x, y = point
    return abs(x - box.x) < box.width / 2 - 0.01 and abs(y - box.y) < box.height / 2 - 0.01


@given(graphs())
def test_boxes_never_overlap_and_lie_on_the_page(graph):
    layout = lay_out(*graph)
    assert len(layout.boxes) == len(graph[0])
    for box, size in zip(layout.boxes, graph[0], strict=True):
        assert (box.width, box.height) == size
        assert 0 < box.x - box.width / 2 < box.x + box.width / 2 < layout.width
        assert 0 < box.top < box.bottom < layout.height
    for a, b in combinations(layout.boxes, 2):
        apart_x = abs(a.x - b.x) - (a.width + b.width) / 2
        apart_y = abs(a.y - b.y) - (a.height + b.height) / 2
        assert max(apart_x, apart_y) > 5


@given(graphs())
def test_every_edge_is_drawn_from_its_source_to_its_target(graph):
    layout = lay_out(*graph)
    assert len(layout.routes) == len(graph[1])
    for (source, target), route in zip(graph[1], layout.routes, strict=True):
        (x0, y0), (x1, y1) = route.points[0], route.points[-1]
        assert y0 == layout.boxes[source].bottom
        assert abs(x0 - layout.boxes[source].x) <= layout.boxes[source].width / 2
        assert y1 == layout.boxes[target].top
        assert abs(x1 - layout.boxes[target].x) <= layout.boxes[target].width / 2
        if not route.is_back:
            assert y1 - y0 >= LAYER_GAP - 0.01


@given(graphs())
def test_edges_go_around_boxes_and_stay_on_the_page(graph):
    layout = lay_out(*graph)
    for route in layout.routes:
        for point in way(route):
            assert not any(is_inside(point, box) for box in layout.boxes)
            assert 0 <= point[0] <= layout.width
            assert 0 <= point[1] <= layout.height


@given(graphs())
def test_only_cycles_have_back_edges(graph):
    sizes, edges = graph
    forward = [(a, b) for a, b in edges if a < b]
    assert not any(route.is_back for route in lay_out(sizes, forward).routes)
    back = [route.is_back for route in lay_out(sizes, edges).routes]
    assert all(is_back for (a, b), is_back in zip(edges, back, strict=True) if a == b)


@given(graphs())
def test_the_same_graph_gives_the_same_drawing(graph):
    assert lay_out(*graph) == lay_out(*graph)


def test_a_chain_is_straight_and_a_diamond_is_symmetric():
    chain = lay_out([(60, 30)] * 4, [(0, 1), (1, 2), (2, 3)])
    assert len({box.x for box in chain.boxes}) == 1
    diamond = lay_out([(60, 30)] * 4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    top, left, right, bottom = diamond.boxes
    assert abs(top.x - bottom.x) < 0.5
    assert abs((left.x + right.x) / 2 - top.x) < 0.5


def test_crossings_that_can_be_avoided_are():
    # Two parents whose children are given the wrong way round.
    layout = lay_out([(60, 30)] * 4, [(0, 3), (1, 2)])
    a, b, c, d = layout.boxes
    assert (a.x < b.x) == (d.x < c.x)


def test_the_named_edges_close_the_loop():
    # Without a hint a search from node 0 would call 2 -> 1 the back edge.
    layout = lay_out([(60, 30)] * 3, [(0, 1), (1, 2), (2, 1)], closing=[1])
    assert [route.is_back for route in layout.routes] == [False, True, False]


def test_constants_stand_next_to_what_needs_them():
    # 4 is needed by the last node of a chain only.
    layout = lay_out([(60, 30)] * 5, [(0, 1), (1, 2), (2, 3), (4, 3)])
    assert layout.boxes[4].y == layout.boxes[2].y
