"""Static shapes and their algebra."""

import itertools

from tests.behaviour.asking import question, says

SHAPES = [
    None,
    [],
    [None],
    [1],
    [2],
    [None, None],
    [2, None],
    [None, 3],
    [2, 3],
    [3, 2],
    [0],
    [1, None, 3],
    [2, 2, 3],
    [None] * 4,
]


def text(function, *args):
    """The result as text, or the class of what it raises."""
    try:
        value = function(*args)
    except Exception as error:
        return type(error).__name__
    return str(value)


@question
def one_shape(tf):
    answers = {}
    for sizes in SHAPES:
        shape = tf.TensorShape(sizes)
        answers[str(sizes)] = [
            str(shape),
            repr(shape),
            shape.ndims,
            shape.rank,
            shape.is_fully_defined(),
            shape.num_elements(),
            bool(shape),
            text(len, shape),
            text(shape.as_list),
            text(lambda s=shape: s.dims),
            text(hash, shape) == "TypeError",
            str(shape.as_proto()),
            text(lambda s=shape: [str(d) for d in s]),
        ]
        answers[f"{sizes} sliced"] = [
            text(shape.__getitem__, key)
            for key in (
                0,
                1,
                -1,
                slice(1, None),
                slice(None, 1),
                slice(None),
                slice(0, 2),
                slice(-1, None),
                slice(None, -1),
                slice(None, None, 2),
                slice(2, 1),
            )
        ]
        answers[f"{sizes} ranked"] = [
            text(getattr(shape, method), rank)
            for method in ("with_rank", "with_rank_at_least", "with_rank_at_most")
            for rank in (0, 1, 2)
        ]
    return answers


@question
def two_shapes(tf):
    answers = {}
    for a, b in itertools.product(SHAPES, SHAPES):
        x, y = tf.TensorShape(a), tf.TensorShape(b)
        answers[f"{a} {b}"] = [
            text(x.merge_with, y),
            x.is_compatible_with(y),
            text(x.concatenate, y),
            text(lambda x=x, y=y: x + y),
            text(lambda x=x, b=b: b + x),
            text(x.most_specific_compatible_shape, y),
            text(lambda x=x, y=y: x == y),
            text(lambda x=x, y=y: x != y),
            text(lambda x=x, b=b: x == b),
            text(x.assert_same_rank, y),
            text(x.assert_is_compatible_with, y),
        ]
    return answers


@question
def shape_errors(tf):
    shape = tf.TensorShape
    return {
        "merge": says(
            "Shapes (2, 3) and (2, 4) are not compatible", shape([2, 3]).merge_with, [2, 4]
        ),
        "merge ranks": says(
            "Shapes (2, 3) and (2,) are not compatible", shape([2, 3]).merge_with, [2]
        ),
        "assert compatible": says(
            "Shapes (2,) and [3] are incompatible", shape([2]).assert_is_compatible_with, [3]
        ),
        "rank": says("Shape (2, 3) must have rank 1", shape([2, 3]).with_rank, 1),
        "assert rank": says("Shape (2, 3) must have rank 1", shape([2, 3]).assert_has_rank, 1),
        "rank at least": says(
            "Shape (2,) must have rank at least 2", shape([2]).with_rank_at_least, 2
        ),
        "rank at most": says(
            "Shape (2, 3) must have rank at most 1", shape([2, 3]).with_rank_at_most, 1
        ),
        "same rank": says(
            "Shapes (2, 3) and (1,) must have the same rank", shape([2, 3]).assert_same_rank, [1]
        ),
        "not defined": says("is not fully defined", shape([2, None]).assert_is_fully_defined),
        "as list": says("as_list() is not defined on an unknown TensorShape.", shape(None).as_list),
        "length": says("Cannot take the length of shape with unknown rank.", len, shape(None)),
        "iterating": says("Cannot iterate over a shape with unknown rank.", list, shape(None)),
        "negative": says("must be >= 0", shape, [-1]),
        "a float": says("Dimension value must be integer or None", shape, [1.5]),
        "a string": says("Dimension value must be integer or None", shape, ["a"]),
        "index": says("index out of range", lambda: shape([1])[3]),
    }


@question
def dimensions(tf):
    answers = {}
    operations = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "//": lambda a, b: a // b,
        "%": lambda a, b: a % b,
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "/": lambda a, b: a / b,
    }
    for a, b in itertools.product([None, 0, 2, 5], [None, 0, 2, 3]):
        x, y = tf.Dimension(a), tf.Dimension(b)
        for sign, function in operations.items():
            answers[f"{a} {sign} {b}"] = [
                text(function, x, y),
                text(function, x, b),
                text(function, a, y),
            ]
        answers[f"{a} with {b}"] = [
            x.is_compatible_with(y),
            text(x.merge_with, y),
            text(x.assert_is_compatible_with, y),
        ]
    return answers


@question
def one_dimension(tf):
    dimension = tf.Dimension
    return {
        "known": [str(dimension(3)), repr(dimension(3)), dimension(3).value, int(dimension(3))],
        "unknown": [str(dimension(None)), repr(dimension(None)), dimension(None).value],
        "of a dimension": repr(dimension(dimension(2))),
        "as an index": list(range(4))[dimension(2)],
        "hash": says("unhashable type", hash, dimension(3)),
        "as a number": [
            tf.dimension_value(dimension(3)),
            tf.dimension_value(4),
            tf.dimension_value(None),
        ],
        "negative": says("must be >= 0", dimension, -1),
        "a float": says("Dimension value must be integer or None", dimension, 1.5),
        "a string": says("Dimension value must be integer or None", dimension, "3"),
        "contradiction": says("Dimensions 2 and 3 are not compatible", dimension(2).merge_with, 3),
        "equal to text": dimension(3) == "3",
        "unequal to text": dimension(3) != "3",
        "equal to a float": dimension(3) == 3.5,
        "in a list": 3 in [dimension(2), dimension(3)],
        "equal to none": dimension(3) == None,  # noqa: E711 - what is asked
    }


@question
def shapes_from(tf):
    shape = tf.TensorShape
    return {
        "a shape": repr(shape(shape([1, None]))),
        "a proto": repr(shape(shape([1, None]).as_proto())),
        "a proto of no rank": repr(shape(shape(None).as_proto())),
        "a number": repr(shape(3)),
        "a dimension": repr(shape(tf.Dimension(3))),
        "a generator": repr(shape(d for d in (1, 2))),
        "dimensions": repr(shape([tf.Dimension(3), tf.Dimension(None)])),
        "equal to a list": shape([1, 2]) == [1, 2],
        "equal to a tuple": (1, 2) == shape([1, 2]),
        "equal to none": shape(None) == None,  # noqa: E711 - what is asked
        "unknown twice": shape(None) == shape(None),
        "partly known twice": shape([None]) == shape([None]),
        "equal to text": shape([1]) == "tomato",
        "in a set": len({shape([1]), shape([1]), shape([2])}),
    }
