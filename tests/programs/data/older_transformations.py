"""tf.contrib.data as of TensorFlow 1.4 to 1.12: windows, mixtures, reducers, optionals."""

import numpy as np
import tensorflow as tf

data = tf.contrib.data
Dataset = tf.data.Dataset


def show(name, dataset):
    element = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as sess:
        while True:
            try:
                value = sess.run(element)
            except tf.errors.OutOfRangeError:
                break
            parts = value if isinstance(value, tuple) else (value,)
            found.append([np.asarray(part).tolist() for part in parts])
    print(name, [f[0] if len(f) == 1 else tuple(f) for f in found])


numbers = Dataset.range(10)
show("batches", numbers.apply(data.batch_and_drop_remainder(4)))
ragged = Dataset.range(1, 6).map(lambda n: tf.range(n))
show(
    "padded",
    ragged.apply(data.padded_batch_and_drop_remainder(2, [None], tf.constant(-1, tf.int64))),
)
show("sparse", ragged.apply(data.dense_to_sparse_batch(5, [6])).map(tf.sparse_tensor_to_dense))
show("windows", numbers.apply(data.sliding_window_batch(3, window_shift=2)))
show("strided", numbers.apply(data.sliding_window_batch(3, stride=3, window_stride=2)))
show("squares", numbers.apply(data.map_and_batch(lambda x: x * x, 5, num_parallel_batches=2)))
show("numbered", Dataset.from_tensor_slices(["a", "b"]).apply(data.enumerate_dataset(start=7)))
show("one by one", numbers.batch(3).apply(data.unbatch()).take(4))
show("running sum", numbers.apply(data.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))))
show("kinds", Dataset.from_tensor_slices([3, 1, 3, 2, 1]).apply(data.unique()))
show("counted", data.Counter(start=10, step=5).take(3))

letters = [Dataset.from_tensors(letter).repeat() for letter in "abc"]
choice = Dataset.from_tensor_slices(tf.constant([0, 2, 1, 1, 2], tf.int64))
show("chosen", data.choose_from_datasets(letters, choice))
mixture = data.sample_from_datasets(letters, weights=[0.6, 0.3, 0.1], seed=4)
show("mixture", mixture.take(8))
show("at random", data.RandomDataset(seed=9).take(3).map(lambda x: x % 100))

files = numbers.take(3)
lines = lambda n: Dataset.from_tensors(n).repeat(3)
show("interleaved", files.apply(data.parallel_interleave(lines, cycle_length=2, block_length=2)))
show("sloppy", files.take(1).apply(data.sloppy_interleave(lines, cycle_length=2)))
inverses = Dataset.from_tensor_slices([1.0, 0.0, 4.0]).map(
    lambda x: tf.check_numerics(1.0 / x, "infinite")
)
show("without errors", inverses.apply(data.ignore_errors()))

mean = data.Reducer(
    init_func=lambda key: (0.0, 0.0),
    reduce_func=lambda state, x: (state[0] + tf.cast(x, tf.float32), state[1] + 1.0),
    finalize_func=lambda total, count: total / count,
)
show("means by rest", numbers.apply(data.group_by_reducer(lambda x: x % 3, mean)))
checked = numbers.batch(5).apply(data.assert_element_shape(tf.TensorShape([5])))
print(checked.output_shapes, numbers.batch(5).output_shapes)
show("on the device", numbers.take(2).apply(data.copy_to_device("/cpu:0")))
show("fetched before", numbers.take(2).apply(data.prefetch_to_device("/cpu:0", buffer_size=1)))

with tf.Session() as sess:
    print("mean", sess.run(data.reduce_dataset(numbers, mean)))
    print("single", sess.run(data.get_single_element(numbers.skip(4).take(1))))
    maybe = data.get_next_as_optional(numbers.take(1).make_one_shot_iterator())
    given = data.Optional.from_value(tf.constant([1, 2]))
    print("optional", sess.run([maybe.has_value(), maybe.get_value()]))
    print("given", sess.run(given.get_value()).tolist(), sess.run(given.has_value()))
