"""Op types of datasets that graphs of older versions have; no public function makes them."""

from typing import Any

from tests.conformance.nodes import Function, Shapes, function_module, node
from tests.conformance.registry import Program, case


def elements(tf: Any, dataset: Any, kind: str, shape: list[int | None], **how: Any) -> Program:
    """The elements of a dataset that a node gives, one in each run."""
    kinds = {"output_types": (kind,), "output_shapes": Shapes(shape)}
    (handle,) = node(tf, "IteratorV2", [], shared_name="", container="", **kinds)
    make = tf.get_default_graph().create_op("MakeIterator", [dataset, handle], name="make")
    (element,) = node(tf, "IteratorGetNext", [handle], **kinds)
    return Program(element, setup=[make], **how)


def not_optimised(tf: Any, dataset: Any, kind: str, shape: list[int | None]) -> Any:
    """With the option that TensorFlow does not rebuild the pipeline: it cannot with these nodes."""
    (same,) = node(
        tf,
        "OptionsDataset",
        [dataset],
        serialized_options="\x1a\x02\x08\x00",
        output_types=(kind,),
        output_shapes=Shapes(shape),
    )
    return same


def _wide(tf: Any, *numbers: int) -> list[Any]:
    return [tf.constant(number, tf.int64) for number in numbers]


@case("FixedLengthRecordDataset", each=[(1, 2, 0), (0, 3, 2)])
def records_of_one_length(tf, header, size, footer):
    # From the project's root, where tests are started: the graph holds the name.
    names = tf.constant(["tests/conformance/files/pairs.bin"])
    sizes = _wide(tf, header, size, footer, 0)
    (records,) = node(tf, "FixedLengthRecordDataset", [names, *sizes])
    records = not_optimised(tf, records, "string", [])
    return elements(tf, records, "string", [], runs=3)


@case("PaddedBatchDataset", each=[-1, 4])
def padded(tf, width):
    growing = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
    shape, padding = tf.constant([width], tf.int64), tf.constant(9, tf.int64)
    (batches,) = node(
        tf,
        "PaddedBatchDataset",
        [growing._variant_tensor, *_wide(tf, 2), shape, padding],
        Toutput_types=("int64",),
        output_shapes=Shapes([None, None]),
        N=1,
    )
    batches = not_optimised(tf, batches, "int64", [None, None])
    return elements(tf, batches, "int64", [None, None], runs=2)


@case("ParallelMapDataset", each=[False, True])
def parallel_map(tf, in_any_order):
    @function_module(tf).Defun(tf.int64, tf.int64, func_name="TimesAndOne")
    def times_and_one(x, factor):
        return x * factor + 1

    times_and_one.add_to_graph(tf.get_default_graph())
    numbers = tf.data.Dataset.range(5)._variant_tensor
    (mapped,) = node(
        tf,
        "ParallelMapDataset",
        [numbers, *_wide(tf, 3), tf.constant(1 if in_any_order else 2)],
        f=Function("TimesAndOne"),
        Targuments=("int64",),
        output_types=("int64",),
        output_shapes=Shapes([]),
        sloppy=in_any_order,
    )
    return elements(tf, mapped, "int64", [], runs=5)


@case("ParallelInterleaveDatasetV3", each=[(1, 1, 1), (2, 1, 2), (3, 2, 2)])
def parallel_interleave(tf, cycle, block, calls):
    @function_module(tf).Defun(tf.int64, func_name="Tens")
    def tens(x):
        return tf.data.Dataset.range(10 * x, 11 * x + 1)._variant_tensor

    tens.add_to_graph(tf.get_default_graph())
    (turns,) = node(
        tf,
        "ParallelInterleaveDatasetV3",
        [tf.data.Dataset.range(4)._variant_tensor, *_wide(tf, cycle, block, calls)],
        f=Function("Tens"),
        Targuments=(),
        output_types=("int64",),
        output_shapes=Shapes([]),
        deterministic="true",
    )
    return elements(tf, turns, "int64", [], runs=10)
