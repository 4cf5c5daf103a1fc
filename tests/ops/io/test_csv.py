"""CSV: against Python's own reader, and one way of reading against the other."""

import csv
import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tinytf as tf
from tinytf.framework import dtypes
from tinytf.ops.io import csv as csv_ops
from tinytf.ops.io import csv_numbers
from tinytf.ops.io.csv_fields import FieldError, fields
from tinytf.ops.strings.numbers import read_float, read_integer

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(TEXT, min_size=width, max_size=width), min_size=1, max_size=20)
)


def written(row, delimiter=","):
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="").writerow(row)
    return line.getvalue().encode()


@given(ROWS, st.sampled_from(",;\t |"))
def test_what_python_writes_is_read(rows, delimiter):
    lines = [written(row, delimiter) for row in rows]
    mark = delimiter.encode()
    assert [fields(line, mark, True) for line in lines] == [[f.encode() for f in r] for r in rows]
    columns, _ = csv_ops._split_together(lines, mark, True, (), len(rows[0]))
    assert [list(column) for column in columns] == [
        [field.encode() for field in column] for column in zip(*rows, strict=True)
    ]


RECORDS = st.text(',";ab1 \n\r\0', max_size=12) | st.lists(
    st.sampled_from(["", "a", "1", '""', '","', '"a,"', '"a"', '"a""b"', '"\0"', '"\n"']),
    max_size=3,
).map(",".join)


@given(
    st.lists(RECORDS.map(str.encode), min_size=1, max_size=5),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([(), (0,), (1,), (0, 2)]),
)
@example([b'"', b'"'], 1, True, (0,))
@example([b'"a,",b', b'"\0",c'], 2, True, ())
def test_both_ways_of_cutting_agree(lines, count, quotes, selected):
    count = len(selected) or count
    found = csv_ops._split_together(lines, b",", quotes, selected, count)
    if found is None:
        return
    columns, is_full = found
    assert not is_full or not any(b"" in column for column in columns)
    try:
        cut = [fields(line, b",", quotes, selected) for line in lines]
    except FieldError:
        # what comes after the last selected column is not looked at, either way
        pytest.fail("one way takes what the other refuses")
    assert [list(column) for column in columns] == [list(c) for c in zip(*cut, strict=True)]


def test_fields_in_quotes_are_cut_all_at_once():
    text = b'1,"a, b","",2,\n,"c",,"3"'
    assert csv_ops._without_quotes(text, b",") == b"1,a\0 b,,2,\n,c,,3"
    for closer_look in (b'"a""b"', b'"a', b'a"b"', b'"a"b', b'"a\n"', b'"\0"'):
        assert csv_ops._without_quotes(closer_look, b",") is None


NUMBERS = st.one_of(
    st.integers(-(10**19), 10**19).map(str),
    st.floats(-1e15, 1e15).map("{:.3f}".format),
    st.floats().map(repr),
    st.text("0123456789-+.e_x ", max_size=8),
).map(str.encode)


def long_enough(column):
    """The same fields again and again: few are not read at once."""
    return column * (128 // len(column) + 1)


@given(st.lists(st.tuples(*[NUMBERS.filter(bool)] * 2), min_size=1, max_size=40))
@example([(b"-0", b"0"), (b"-0.50", b"1")])
@example([(b"1", b"1"), (b"2147483648", b"2")])
@example([(b"1", b"1"), (b"2", b"nan")])
def test_numbers_read_at_once_are_those_read_one_by_one(rows):
    kinds = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
    for columns in (list(zip(*rows)) * 2, list(zip(*long_enough(rows))) * 2):
        for column, dtype, together in zip(
            columns, kinds, csv_ops._read_together(columns, kinds, b"", True)
        ):
            if together is None:
                continue
            read = read_integer if dtype.is_integer else read_float
            with np.errstate(over="ignore"):
                single = np.array([read(field) for field in column]).astype(dtype.as_numpy_dtype)
            assert together.dtype == single.dtype
            np.testing.assert_array_equal(together, single)
            assert (np.signbit(together) == np.signbit(single)).all()


@given(st.lists(st.decimals(-(10**8), 10**8, places=4), min_size=16, max_size=40))
def test_decimals_are_rounded_as_python_rounds_them(values):
    values = long_enough(values)
    column = [str(value).encode() for value in values]
    found = csv_numbers.decimals(column)
    if found is not None:
        assert found.tolist() == [float(value) for value in values]


def test_plain_decimals_are_read_at_once():
    column = [b"%d.%02d" % (n, abs(n)) for n in range(-99, 99)] + [b"-0.00", b"0", b"-0.5"]
    found = csv_numbers.decimals(column)
    assert found.tolist() == [float(field) for field in column]
    assert np.signbit(found).tolist() == [field.startswith(b"-") for field in column]
    assert csv_numbers.integers([b"-%d" % n for n in range(200)]) is not None


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(-(2**31), 2**31 - 1), st.floats(-1e6, 1e6, width=32), TEXT),
        min_size=1,
        max_size=20,
    )
)
def test_rows_come_back_through_a_session(rows):
    lines = np.empty(len(rows), object)
    lines[:] = [written([str(n), repr(x), text]) for n, x, text in rows]
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.string)
        found = session.run(tf.decode_csv(x, [[0], [0.0], ["nothing"]]), {x: lines})
    assert found[0].tolist() == [n for n, _, _ in rows]
    assert found[1].tolist() == [x for _, x, _ in rows]
    assert found[2].tolist() == [text.encode() or b"nothing" for _, _, text in rows]


def fails(rows, defaults, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(tf.decode_csv(rows, defaults, **options))
        return str(caught.value)


def test_messages_name_record_column_and_both_values():
    text = fails(["1,2", "3,x"], [[1], [2]])
    assert "Field 1 in record 1 is not a valid int32: x" in text
    assert "'3,x'" in text
    assert "int32" in text
    assert "test_csv.py" in text
    text = fails(["1,2,3"], [[1], [2]])
    assert "Expect 2 fields but have 3 in record 0: '1,2,3'; field 2 is '3'" in text
    assert "an empty line" in fails(["1", ""], [[1]])
    text = fails(["ok,1", 'say "hi",2'], [[""], [1]])
    assert "inside: record 1, column 0, byte 4" in text
    assert "no column 3" in fails(["1,2"], [[1], [2]], select_cols=[0, 3])


def test_a_missing_field_is_named_with_its_column():
    with tf.Graph().as_default(), tf.Session() as session:
        [field] = tf.decode_csv(["1,,3"], [tf.constant([], tf.int32)], select_cols=[1])
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(field)
    assert "Field 0 is required but missing in record 0!" in str(caught.value)
    assert "The record: '1,,3', column 1." in str(caught.value)


def test_long_records_are_cut_in_messages():
    text = fails(["x" * 100_000], [[1]])
    assert len(text) < 2_000


def test_a_type_instead_of_a_default_says_what_to_write():
    with pytest.raises(TypeError, match=r"tf\.constant\(\[\], tf\.float32\)"):
        tf.decode_csv(["1"], [tf.float32])


def test_file_and_line_of_a_record_are_named_behind_a_queue(tmp_path):
    (tmp_path / "people.csv").write_text("1,Ann\n2,Bob\nthree,Cleo\n4,Dan\n")
    with tf.Graph().as_default(), tf.Session() as session:
        files = tf.FIFOQueue(1, tf.string, shapes=[[]])
        line = tf.TextLineReader().read(files)[1]
        lines = tf.FIFOQueue(10, tf.string, shapes=[[]])
        put = lines.enqueue(line)
        columns = tf.decode_csv(lines.dequeue_many(4), [[0], [""]])
        session.run(files.enqueue(str(tmp_path / "people.csv")))
        for _ in range(4):
            session.run(put)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"'three,Cleo' at .*people\.csv:3"
        ):
            session.run(columns)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("record", ["x" * 300_000 + '"', "x" * 300_000 + '",y'])
def test_a_long_field_with_a_quote_is_refused_at_once(record, columns):
    """Each byte is looked at a few times; once for each byte before it would take hours."""
    fields = tf.decode_csv([record], [[""]] * columns)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=r"[Qq]uote"):
        session.run(fields)
