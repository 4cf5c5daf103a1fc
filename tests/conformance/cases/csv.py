"""CSV records, with every option of `tf.decode_csv`."""

from typing import Any

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed


def empty(tf: Any, dtype: Any) -> Any:
    return tf.constant([], dtype)


@case("DecodeCSV")
def csv(tf):
    rows = ["1,2.5,x,4,5.25", " 3 , -1e3 ,y z,-9,.5", ",,,,"]
    return tf.decode_csv(
        rows, [[7], [1.5], ["none"], tf.constant([8], tf.int64), tf.constant(0.1, tf.float64)]
    )


@case("DecodeCSV")
def one_csv_record(tf):
    required = [empty(tf, t) for t in (tf.float32, tf.float64, tf.int32, tf.int64, tf.string)]
    x, feed = fed(tf, np.array(b"1,2,3,4,a", object), "string")
    return Program(tf.decode_csv(x, required, name="named"), feed=feed)


@case("DecodeCSV")
def many_csv_records(tf):
    rows = [f"{i},{i * 0.37 - 5:.4f},{-i}.50,name{i},{i * 10**12},-0.0" for i in range(40)]
    rows += ["5,1e3,+1,x,7,1", "6,inf,-.5,,8,-0"]
    defaults = [
        [1],
        [1.0],
        tf.constant([0.0], tf.float64),
        ["?"],
        tf.constant([1], tf.int64),
        [1.0],
    ]
    return tf.decode_csv(rows, defaults)


@case("DecodeCSV")
def quoted_csv_fields(tf):
    rows = ['"a,b","1","c ""d"" e"', '"","2",""""', 'x,3,"line\nend"', '"NA",4,y', '\n"a",5,z']
    return tf.decode_csv(rows, [["d"], [1], ["e"]], na_value="NA")


@case("DecodeCSV")
def csv_options(tf):
    return [
        tf.decode_csv(["1\t2"], [[1], [2]], field_delim="\t"),
        tf.decode_csv(["1 2"], [[1], [2]], field_delim=" "),
        tf.decode_csv(['"a,b"'], [[""], [""]], use_quote_delim=False),
        tf.decode_csv(["NA,2", "1,NA"], [[7], [8]], na_value="NA"),
        tf.decode_csv(["0,2"], [[5], [8.0]], na_value="0"),
        tf.decode_csv(["1,2,3,4", "5,6,7,8,9"], [[1], [2.0]], select_cols=[1, 3]),
        tf.decode_csv(['1,"x"y'], [[1]], select_cols=[0]),
        tf.decode_csv(["1,2,"], [[1], ["d"]], select_cols=[1, 2]),
        tf.decode_csv(["1,2,", ",,"], [[1], [2], ["d"]]),
        tf.decode_csv([["1,2"], ["3,4"]], [[1], [1]]),
        tf.decode_csv(["\n1,\n2"], [[1], [1]]),
        tf.decode_csv(tf.constant([], tf.string), [[1]]),
        tf.decode_csv(["0x1F,nan,-inf,1e999"], [[1.0]] * 4),
    ]


@case("DecodeCSV", error="Expect 2 fields but have", each=["1", "1,2,3", "", ",,"])
def csv_fields_of_another_number(tf, row):
    return tf.decode_csv(["1,2", row], [[1], [2]])


TYPES = ("int32", "int64", "float32", "float64")
NO_NUMBERS = [(t, v) for t in TYPES for v in ("x", "1_0", "1e", "0x1p3")]
NO_NUMBERS += [("int32", v) for v in ("+1", "1.5", "99999999999", "- 1", "0x10")]
NO_NUMBERS += [("float32", "infinity"), ("float64", "1 2")]


@case("DecodeCSV", error="Field 1 in record 1 is not a valid", each=NO_NUMBERS)
def csv_fields_that_are_no_numbers(tf, dtype, field):
    return tf.decode_csv(["1,2", f"1,{field}"], [[1], tf.constant([1], dtype)])


@case("DecodeCSV", error="Field 0 is required but missing in record 1!", each=["", "NA"])
def a_required_csv_field(tf, field):
    return tf.decode_csv(["1,2", f"{field},3"], [empty(tf, tf.int32), [1]], na_value="NA")


@case(
    "DecodeCSV",
    error="Unquoted fields cannot have quotes/CRLFs inside",
    each=['a"b,1', "1\n,2", "1,2\r\n", "x,1\n"],
)
def csv_fields_that_need_quotes(tf, row):
    return tf.decode_csv(["a,2", row], [[""], [1]])


@case("DecodeCSV", error="Quote inside a string has to be escaped by another quote")
def a_csv_field_with_a_single_quote(tf):
    return tf.decode_csv(['"a"b,1'], [[""], [1]])


@case(
    "DecodeCSV",
    error="Quoted field has to end with quote followed by delim or end",
    each=['"ab,1', '"', '"""', '1,"'],
)
def a_csv_field_without_an_end(tf, row):
    return tf.decode_csv([row], [[""], [1]])


@case("DecodeCSV", error="Expect 2 fields but have", each=["1,2,3", "1"])
def csv_without_a_selected_column(tf, row):
    return tf.decode_csv([row], [[1], [2.0]], select_cols=[1, 3])


@case("DecodeCSV", error="field_delim should be only 1 char", each=["", ";;"])
def a_csv_delimiter_of_another_length(tf, delimiter):
    return tf.decode_csv(["1"], [[1]], field_delim=delimiter)


@case(error="select_cols is not strictly increasing.")
def csv_columns_out_of_order(tf):
    return tf.decode_csv(["1,2"], [[1], [2]], select_cols=[1, 0])


@case(error="select_cols contains negative values.")
def a_negative_csv_column(tf):
    return tf.decode_csv(["1,2"], [[1], [2]], select_cols=[-1, 0])


@case(error="Length of select_cols and record_defaults do not match.")
def more_csv_defaults_than_columns(tf):
    return tf.decode_csv(["1,2"], [[1], [2]], select_cols=[0])


@case("DecodeCSV", error="Shape of a default must be a length-0 or length-1 vector, or a scalar.")
def two_csv_defaults(tf):
    return tf.decode_csv(["1,2"], [[1, 2], [1]])


@case("DecodeCSV", error="There should only be 1 default per field but field 0 has 2")
def two_fed_csv_defaults(tf):
    x, feed = fed(tf, [1, 2], "int32")
    return Program(tf.decode_csv(["1,2"], [x, [1]]), feed=feed)


@case("DecodeCSV", error="Each record default should be at most rank 1")
def a_matrix_of_csv_defaults(tf):
    x, feed = fed(tf, [[1]], "int32")
    return Program(tf.decode_csv(["1,2"], [x, [1]]), feed=feed)
