"""Nested structures."""

import collections

import pytest

from tinytf.framework import nest

Point = collections.namedtuple("Point", "x y")


def test_flatten_sorts_dictionaries():
    assert nest.flatten({"b": 2, "a": [0, (1,)]}) == [0, 1, 2]
    assert nest.flatten(3) == [3]
    assert nest.flatten("text") == ["text"]
    assert nest.flatten([]) == []


STRUCTURES = [
    1,
    [1],
    (1, [2]),
    {"b": 1, "a": (2, 3)},
    Point(1, {"k": 2}),
    [],
    collections.OrderedDict(b=1, a=2),
]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_packing_undoes_flattening(structure):
    packed = nest.pack_sequence_as(structure, nest.flatten(structure))
    assert packed == structure
    assert type(packed) is type(structure)


def test_packing_keeps_the_order_of_a_dictionary():
    packed = nest.pack_sequence_as({"b": 0, "a": 0}, [1, 2])
    assert list(packed.items()) == [("b", 2), ("a", 1)]


def test_packing_counts():
    with pytest.raises(ValueError, match="Structure had 2 elements, but flat_sequence had 3"):
        nest.pack_sequence_as([0, 0], [1, 2, 3])


def test_map_structure():
    assert nest.map_structure(lambda a, b: a + b, [1, (2,)], [10, (20,)]) == [11, (22,)]


@pytest.mark.parametrize(
    ("first", "second", "error", "text"),
    [
        ([1], 1, ValueError, "is a sequence, while substructure"),
        ([1], [1, 2], ValueError, "same number of elements"),
        ([1], (1,), TypeError, "same sequence type"),
        ({"a": 1}, {"b": 1}, ValueError, "same set of keys"),
        ([1, [2]], [1, 2], ValueError, "Entire first structure"),
    ],
)
def test_differences_are_told(first, second, error, text):
    with pytest.raises(error, match="The two structures don't have the same nested structure") as e:
        nest.assert_same_structure(first, second)
    assert text in str(e.value)


def test_types_need_not_be_checked():
    nest.assert_same_structure([1], (1,), check_types=False)


def test_keys_must_be_sortable():
    with pytest.raises(TypeError, match="sortable keys"):
        nest.flatten({1: 0, "a": 0})
