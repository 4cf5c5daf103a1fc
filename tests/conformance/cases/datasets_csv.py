"""Datasets of CSV files."""

import os
import tempfile

from tests.conformance.cases.readers import FILES
from tests.conformance.nodes import Shapes, node
from tests.conformance.registry import Program, case

COLUMNS = str(FILES / "columns.txt")


def records(tf, name, defaults, runs=2, **settings):
    data = tf.data.experimental.CsvDataset(name, defaults, **settings)
    iterator = tf.data.make_initializable_iterator(data)
    return Program(iterator.get_next(), setup=[iterator.initializer], runs=runs)


@case("CSVDatasetV2")
def csv(tf):
    return records(tf, COLUMNS, [tf.string, tf.int32, tf.float32])


@case("CSVDatasetV2")
def csv_of_columns(tf):
    return records(tf, [COLUMNS], [[7], tf.float64], runs=1, select_cols=[1, 2], header=True)


@case("CSVDatasetV2")
def csv_of_people(tf):
    people = str(FILES / "people.csv")
    return records(tf, people, [tf.string], runs=2, header=True, select_cols=[0])


@case("CSVDatasetV2", error="Field 0 in record is not a valid int32: k1")
def csv_of_another_type(tf):
    return records(tf, COLUMNS, [tf.int32, tf.int32, tf.float32])


@case("CSVDatasetV2", error="Expect 2 fields but have more in record")
def csv_of_fewer_columns(tf):
    return records(tf, COLUMNS, [tf.string, tf.int32])


@case("CSVDatasetV2", error="Expect 4 fields but have 3 in record")
def csv_of_more_columns(tf):
    return records(tf, COLUMNS, [tf.string, tf.int32, tf.float32, tf.string])


@case(
    "CSVDatasetV2",
    error="",
    each=[
        ({"field_delim": ";;"},),
        ({"select_cols": [2, 0, 1]},),
        ({"select_cols": [0, 1]},),
        ({"select_cols": [-1, 0, 1]},),
        ({"compression_type": "NONE"},),
    ],
)
def csv_settings_that_cannot_be(tf, settings):
    return records(tf, COLUMNS, [tf.string, tf.int32, tf.float32], **settings)


@case("CSVDatasetV2", error="Shape of a default must be a length-0 or length-1 vector")
def csv_with_two_defaults(tf):
    return records(tf, COLUMNS, [tf.string, [7, 8], tf.float32])


@case("CSVDatasetV2", error="No such file or directory")
def csv_of_no_file(tf):
    return records(tf, "no/such/file", [tf.string])


@case("CSVDataset", "ExperimentalCSVDataset", each=["CSVDataset", "ExperimentalCSVDataset"])
def csv_of_older_graphs(tf, op_type):
    number = tf.constant(16, tf.int64)
    inputs = [
        tf.constant(COLUMNS),
        tf.constant(""),
        number,
        tf.constant(False),
        tf.constant(","),
        tf.constant(True),
        tf.constant(""),
        tf.constant([0], tf.int64),
        tf.constant([], tf.string),
    ]
    types = {"output_types": (tf.string,), "output_shapes": Shapes([])}
    handle = node(tf, op_type, inputs, **types)[0]
    iterator = node(tf, "IteratorV2", [], shared_name="", container="", **types)[0]
    begin = tf.get_default_graph().create_op("MakeIterator", [handle, iterator])
    return Program(node(tf, "IteratorGetNext", [iterator], **types), setup=[begin], runs=2)


def batches(tf, content, runs=1, **settings):
    """What make_csv_dataset gives of a file with this content, in one run."""
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "data.csv"), "w") as file:
        file.write(content)
    made = tf.data.experimental.make_csv_dataset(
        os.path.join(folder, "*.csv"), 2, shuffle=False, num_epochs=1, **settings
    )
    element = tf.data.make_initializable_iterator(made)
    return Program(element.get_next(), setup=[element.initializer], runs=runs)


PEOPLE = "name,year,size,big\nAnn,1998,1.5,3000000000\nBob,,2,4\nCid,2001,3e3,5\n"


@case("CSVDatasetV2", graph="types", travels=False)
def make_csv_dataset(tf):
    return batches(tf, PEOPLE, 2)


@case("CSVDatasetV2", graph="types", travels=False)
def make_csv_dataset_with_a_label(tf):
    return batches(tf, PEOPLE, label_name="year", select_columns=["year", "name"])


@case("CSVDatasetV2", graph="types", travels=False)
def make_csv_dataset_with_names(tf):
    return batches(
        tf,
        "1,x\n2,y\n",
        column_names=["a", "b"],
        header=False,
        column_defaults=[tf.int64, tf.string],
    )


@case(
    "CSVDatasetV2",
    travels=False,
    error="",
    each=[
        ({"label_name": "none"},),
        ({"select_columns": ["none"]},),
        ({"select_columns": [9]},),
        ({"column_names": ["a", "a"]},),
        ({"header": False},),
        ({"select_columns": ["name"], "column_defaults": ["", ""]},),
    ],
)
def make_csv_dataset_that_does_not_fit(tf, settings):
    return batches(tf, PEOPLE, **settings)
