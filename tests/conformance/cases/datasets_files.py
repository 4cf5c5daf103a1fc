"""tf.data on files: lines, records, patterns. The files are in tests/conformance/files."""

import numpy as np

from tests.conformance.cases.readers import FILES
from tests.conformance.registry import Program, case


def reading(tf, make, *names):
    """All records of files, in one batch; the names are fed."""
    filenames = tf.placeholder(tf.string, [None])
    iterator = make(filenames).batch(100).make_initializable_iterator()
    with tf.control_dependencies([iterator.initializer]):
        records = iterator.get_next()
    given = np.array([str(FILES / name).encode() for name in names], object)
    return Program(records, feed={filenames: given})


# Lines --------------------------------------------------------------------------------------------


@case("TextLineDataset", "FlatMapDataset", "Reshape")
def lines(tf):
    return reading(tf, tf.data.TextLineDataset, "people.csv", "people.csv")


@case("TextLineDataset")
def lines_of_a_dataset_of_names(tf):
    def make(names):
        return tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(names), buffer_size=7)

    return reading(tf, make, "people.csv", "people.csv")


@case("TextLineDataset", "LegacyParallelInterleaveDatasetV2", each=[1, 2, 3])
def lines_of_several_files(tf, reads):
    def make(names):
        return tf.data.TextLineDataset(names, num_parallel_reads=reads, name="mine")

    return reading(tf, make, "people.csv", "people.csv", "people.csv")


@case("TextLineDataset", error="No such file or directory")
def lines_of_a_missing_file(tf):
    return reading(tf, tf.data.TextLineDataset, "people.csv", "missing.csv")


@case("TextLineDataset", error="Is a directory")
def lines_of_a_folder(tf):
    return reading(tf, tf.data.TextLineDataset, ".")


@case("TextLineDataset", error="Unsupported compression_type")
def lines_compressed_as_never(tf):
    return reading(tf, lambda names: tf.data.TextLineDataset(names, "LZMA"), "people.csv")


@case("TextLineDataset", error="`buffer_size` must be >= 0")
def lines_with_a_negative_buffer(tf):
    return reading(tf, lambda names: tf.data.TextLineDataset(names, None, -1), "people.csv")


@case("TextLineDataset", error="The `filenames` argument must contain `tf.string` elements")
def lines_of_numbers(tf):
    return reading(tf, lambda names: tf.data.TextLineDataset([1, 2]))


@case("SkipDataset", "TextLineDataset", "FilterDataset", "MapDataset")
def long_lines(tf):
    def make(names):
        lines = tf.data.Dataset.from_tensor_slices(names).flat_map(
            lambda name: tf.data.TextLineDataset(name).skip(1)
        )
        return lines.map(lambda line: (line, tf.strings.length(line))).filter(
            lambda line, length: length > 5
        )

    return reading(tf, make, "people.csv", "people.csv")


# Records ------------------------------------------------------------------------------------------


@case("TFRecordDataset", each=[("", ""), (".gz", "GZIP"), (".zlib", "ZLIB")])
def records(tf, ending, compression):
    def make(names):
        return tf.data.TFRecordDataset(names, compression)

    return reading(tf, make, f"three.tfrecord{ending}", f"three.tfrecord{ending}")


@case("TFRecordDataset", "LegacyParallelInterleaveDatasetV2")
def records_of_several_files(tf):
    def make(names):
        return tf.data.TFRecordDataset(names, num_parallel_reads=2, buffer_size=3)

    return reading(tf, make, "three.tfrecord", "three.tfrecord", "three.tfrecord")


@case("TFRecordDataset", error="corrupted record at 0")
def records_of_another_file(tf):
    return reading(tf, tf.data.TFRecordDataset, "people.csv")


@case("TFRecordDataset", error="Got a dataset of element shape TensorShape([Dimension(1)])")
def records_of_rows_of_names(tf):
    def make(names):
        return tf.data.TFRecordDataset(tf.data.Dataset.from_tensors(["a"]))

    return reading(tf, make)


@case("FixedLengthRecordDatasetV2", each=[(2, 1, None), (3, 1, 1), (11, None, None)])
def records_of_one_length(tf, size, header, footer):
    def make(names):
        return tf.data.FixedLengthRecordDataset(names, size, header, footer)

    return reading(tf, make, "pairs.bin", "pairs.bin")


@case("FixedLengthRecordDatasetV2", error="which is not an exact multiple of the record length")
def records_that_do_not_fit(tf):
    return reading(tf, lambda names: tf.data.FixedLengthRecordDataset(names, 4), "pairs.bin")


@case("FixedLengthRecordDatasetV2", error="`record_bytes` must be > 0")
def records_of_no_length(tf):
    return reading(tf, lambda names: tf.data.FixedLengthRecordDataset(names, 0), "pairs.bin")


@case("FixedLengthRecordDatasetV2", error="`header_bytes` must be >= 0")
def records_after_less_than_nothing(tf):
    return reading(tf, lambda names: tf.data.FixedLengthRecordDataset(names, 2, -1), "pairs.bin")


# Patterns -----------------------------------------------------------------------------------------


def listing(tf, pattern, **how):
    """The names, without their folder."""
    given = tf.placeholder(tf.string, [])
    dataset = tf.data.Dataset.list_files(given, **how).map(
        lambda name: tf.strings.regex_replace(name, "^.*/", "")
    )
    iterator = dataset.batch(100).make_initializable_iterator()
    with tf.control_dependencies([iterator.initializer]):
        names = iterator.get_next()
    return Program(names, feed={given: str(FILES / pattern).encode()})


@case("MatchingFiles", "TensorSliceDataset", "Assert")
def files_in_order(tf):
    return listing(tf, "three*", shuffle=False)


@case("MatchingFiles", "ShuffleDataset")
def files_in_random_order(tf):
    return listing(tf, "*e*", seed=5, name="mine")


@case("MatchingFiles", error="No files matched pattern: ")
def no_files(tf):
    return listing(tf, "nothing*")
