"""Pipelines built by one library and run by the other, in one process.

To be run by TensorFlow's interpreter. Prints what it saw as one line of JSON, for
test_datasets.py.
"""

import json
import sys

import tensorflow.compat.v1 as tensorflow

import tinytf

tensorflow.disable_v2_behavior()


def pipeline(tf, path):
    """All kinds of stages, on the lines of a file; the element's tensors are a, b."""

    def parsed(line):
        number = tf.strings.to_number(line, tf.int64)
        return number, tf.fill([number % 3 + 1], number)

    files = tf.data.Dataset.from_tensor_slices([path, path])
    lines = files.interleave(
        lambda name: tf.data.TextLineDataset(name).skip(1),
        cycle_length=2,
        block_length=2,
        num_parallel_calls=2,
    )
    rows = lines.map(parsed, num_parallel_calls=2).filter(lambda number, row: number < 8)
    batches = rows.cache().shuffle(5, seed=3).repeat(2).padded_batch(3, ([], [None]))
    numbered = tf.data.Dataset.zip((tf.data.Dataset.range(100), batches))
    return numbered.take(40).prefetch(1).concatenate(numbered.take(0))


def built(tf, path, one_shot):
    """The graph as a GraphDef, and the names of what to run."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        dataset = pipeline(tf, path)
        if one_shot:
            iterator, begin = dataset.make_one_shot_iterator(), None
        else:
            iterator = dataset.make_initializable_iterator()
            begin = iterator.initializer.name
        number, (values, padded) = iterator.get_next()
        names = [number.name, values.name, padded.name]
        return graph.as_graph_def().SerializeToString(), begin, names


def run(tf, content, begin, names):
    """The elements of such a graph."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(tf.GraphDef.FromString(content), name="")
        with tf.Session(graph=graph) as session:
            if begin is not None:
                session.run(graph.get_operation_by_name(begin))
            found = []
            while True:
                try:
                    found.append([value.tolist() for value in session.run(names)])
                except tf.errors.OutOfRangeError:
                    return found


def main(path):
    """Print the elements, by who built and who ran it, and whether it has an initializer."""
    libraries = {"tinytf": tinytf, "tensorflow": tensorflow}
    seen = {}
    for one_shot in (True, False):
        for builder, tf in libraries.items():
            made = built(tf, path, one_shot)
            for runner, other in libraries.items():
                seen[f"{builder} {runner} {'one-shot' if one_shot else 'initializable'}"] = run(
                    other, *made
                )
    print(json.dumps(seen))


if __name__ == "__main__":
    main(sys.argv[1])
