"""Operations on sparse tensors are those on the dense ones, and sets are Python's."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tinytf as tf


@st.composite
def matrices(draw, shape=None):
    """A dense matrix, many of whose elements are 0."""
    shape = shape or draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    elements = st.sampled_from([0, 0, 0, 1, -2, 3])
    count = int(np.prod(shape))
    return np.array(draw(st.lists(elements, min_size=count, max_size=count))).reshape(shape)


@st.composite
def pairs(draw):
    first = draw(matrices())
    return first, draw(matrices(first.shape))


def sparse(dense):
    return tf.SparseTensor(np.argwhere(dense), dense[dense != 0].astype(float), dense.shape)


def run(*fetches):
    with tf.Session() as session:
        return session.run(list(fetches))


@settings(max_examples=40, deadline=None)
@given(pairs())
def test_two_of_one_shape(both):
    a, b = both
    with tf.Graph().as_default():
        x, y = sparse(a), sparse(b)
        results = [
            tf.sparse.to_dense(z)
            for z in (
                tf.sparse.add(x, y),
                tf.sparse.maximum(x, y),
                tf.sparse.minimum(x, y),
                tf.sparse.concat(0, [x, y]),
                tf.sparse.concat(1, [y, x]),
            )
        ]
        found = run(
            *results,
            tf.sparse.add(x, tf.constant(b, tf.float64)),
            tf.sparse.matmul(x, tf.constant(b.T, tf.float64)),
            tf.sparse.to_dense(x * tf.constant(b, tf.float64)),
        )
    wanted = [
        a + b,
        np.maximum(a, b),
        np.minimum(a, b),
        np.concatenate([a, b]),
        np.concatenate([b, a], 1),
        a + b,
        a @ b.T,
        a * b,
    ]
    for one, other in zip(found, wanted, strict=True):
        assert one.tolist() == other.tolist()


@settings(max_examples=40, deadline=None)
@given(matrices(), st.data())
def test_one(a, data):
    rows, columns = a.shape
    start = [data.draw(st.integers(0, n)) for n in a.shape]
    size = [data.draw(st.integers(0, n)) for n in a.shape]
    parts = data.draw(st.integers(1, columns))
    with tf.Graph().as_default():
        x = sparse(a)
        results = [
            tf.sparse.transpose(x),
            tf.sparse.reshape(x, [columns, rows]),
            tf.sparse.reshape(x, [-1]),
            tf.sparse.slice(x, start, size),
            tf.sparse.from_dense(tf.constant(a, tf.float64)),
            *tf.sparse.split(sp_input=x, num_split=parts, axis=1),
        ]
        found = run(
            *map(tf.sparse.to_dense, results),
            tf.sparse.reduce_sum(x, 1),
            tf.sparse.reduce_sum(x),
            tf.sparse.fill_empty_rows(x, 7.0)[1],
        )
    part = a[start[0] :, start[1] :][: size[0], : size[1]]
    wanted = [
        a.T,
        a.reshape(columns, rows),
        a.reshape(-1),
        part,
        a,
        *np.array_split(a, parts, axis=1),
        a.sum(1),
        a.sum(),
        ~a.any(1),
    ]
    for one, other in zip(found, wanted, strict=True):
        assert one.tolist() == other.tolist()


@settings(max_examples=40, deadline=None)
@given(pairs())
def test_sets(both):
    a = both[0]
    kept = [[[v for v in row if v] for row in m.tolist()] for m in both]
    with tf.Graph().as_default():
        x, y = (tf.cast(m, tf.int32) for m in both)
        s, t = (tf.SparseTensor(np.argwhere(m), m[m != 0], m.shape) for m in both)
        functions = [tf.sets.intersection, tf.sets.union, tf.sets.difference]
        dense = run(*(function(x, y) for function in functions))
        few = run(*(function(s, t) for function in functions), tf.sets.size(s))
    operations = [set.intersection, set.union, set.difference]
    for results, rows in ((dense, [m.tolist() for m in both]), (few, kept)):
        for found, operation in zip(results, operations):
            wanted = [sorted(operation(set(p), set(q))) for p, q in zip(*rows)]
            assert by_row(found, len(a)) == wanted
            assert found.dense_shape.tolist() == [len(a), max(map(len, wanted))]
    assert few[3].tolist() == [len(set(row)) for row in kept[0]]


def by_row(value, count):
    rows = [[] for _ in range(count)]
    for (row, place), element in zip(value.indices.tolist(), value.values.tolist()):
        assert place == len(rows[row])
        rows[row].append(element)
    return rows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.text("ab", max_size=6), st.text("abc", max_size=6)), min_size=1))
def test_edit_distance(words):
    with tf.Graph().as_default():
        both = [letters([pair[i] for pair in words]) for i in (0, 1)]
        (found,) = run(tf.edit_distance(*both, normalize=False))
    assert found.tolist() == [changes(*pair) for pair in words]


def letters(words):
    places = [[row, i] for row, word in enumerate(words) for i in range(len(word))]
    values = np.array([letter for word in words for letter in word], object)
    shape = [len(words), max(map(len, words))]
    places = np.array(places, np.int64).reshape(-1, 2)
    return tf.SparseTensor(places, tf.constant(values, tf.string), shape)


def changes(a, b):
    """As the definition has it."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "c"]), max_size=3), min_size=1, max_size=4),
    st.data(),
)
def test_crosses(first, data):
    second = [data.draw(st.lists(st.sampled_from(["x", "y"]), max_size=3)) for _ in first]
    with tf.Graph().as_default():
        (found,) = run(tf.sparse.cross([letters(first), letters(second)]))
    wanted = [
        ["_X_".join(p).encode() for p in itertools.product(*rows)] for rows in zip(first, second)
    ]
    assert by_row(found, len(first)) == wanted
