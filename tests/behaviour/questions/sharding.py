"""Models on parameter servers: optimizers, inputs, control flow, parts of variables, lookups."""

from tests.behaviour.asking import question, says
from tests.behaviour.questions._placed import both, devices, program


def regression(optimizer, **minimize):
    """A program that trains a line."""

    def build(tf):
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.get_variable("w", [3, 1])
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b), name="loss")
        step = tf.train.get_or_create_global_step()
        optimizer(tf.train).minimize(loss, global_step=step, **minimize)

    return build


@question
def gradient_descent(tf):
    return both(tf, regression(lambda train: train.GradientDescentOptimizer(0.1)))


@question
def colocated_gradients(tf):
    build = regression(
        lambda train: train.GradientDescentOptimizer(0.1), colocate_gradients_with_ops=True
    )
    return both(tf, build)


@question
def momentum(tf):
    return both(tf, regression(lambda train: train.MomentumOptimizer(0.1, 0.9)))


@question
def adam(tf):
    return both(tf, regression(lambda train: train.AdamOptimizer()))


@question
def adagrad(tf):
    return both(tf, regression(lambda train: train.AdagradOptimizer(0.1)))


@question
def root_mean_square(tf):
    return both(tf, regression(lambda train: train.RMSPropOptimizer(0.1)))


@question
def ftrl(tf):
    return both(tf, regression(lambda train: train.FtrlOptimizer(0.1)))


@question
def averages(tf):
    def build(tf):
        v = tf.get_variable("v", [2], initializer=tf.zeros_initializer())
        average = tf.train.ExponentialMovingAverage(0.9)
        average.apply([v])
        average.average(v) + 0.0

    # Of reference variables tinytf adds a read: docs/differences.md.
    return program(tf, build, resource=True)


@question
def a_falling_rate(tf):
    def build(tf):
        step = tf.train.get_or_create_global_step()
        rate = tf.train.exponential_decay(0.1, step, 10, 0.5)
        v = tf.get_variable("v", [2])
        tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(v), global_step=step)

    return both(tf, build)


@question
def clipped_gradients(tf):
    def build(tf):
        v, w = tf.get_variable("v", [2]), tf.get_variable("w", [3])
        loss = tf.reduce_sum(v) * tf.reduce_sum(w)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        gradients, vs = zip(*optimizer.compute_gradients(loss), strict=True)
        optimizer.apply_gradients(zip(tf.clip_by_global_norm(gradients, 5.0)[0], vs, strict=True))

    return both(tf, build)


@question
def towers(tf):
    """Each worker's own copy of the computation, the variables shared."""

    def build(tf):
        for worker in range(2):
            with tf.device(f"/task:{worker}/gpu:0"), tf.name_scope(f"tower_{worker}"):
                with tf.variable_scope("model", reuse=worker > 0):
                    w = tf.get_variable("w", [2, 2])
                    tf.matmul(tf.ones([1, 2]), w, name="out")

    return both(tf, build)


@question
def pinned_layers(tf):
    def build(tf):
        with tf.device("/gpu:0"):
            x = tf.ones([2, 4])
            w = tf.get_variable("w", [4, 2])
            y = tf.nn.relu(tf.matmul(x, w))
        with tf.device("/job:worker/task:1/cpu:0"):
            tf.reduce_mean(y)
        with tf.device("/cpu:0"):
            tf.get_variable("b", [2])

    return {**both(tf, build), "not merged": program(tf, build, ps_tasks=2, merge_devices=False)}


@question
def queues_and_readers(tf):
    def build(tf):
        names = tf.train.string_input_producer(["a.csv", "b.csv"], num_epochs=2, shuffle=False)
        _, line = tf.TextLineReader(skip_header_lines=1).read(names)
        x, y = tf.decode_csv(line, [[0.0], [0]])
        tf.train.batch([x, y], 5, num_threads=2)
        tf.RandomShuffleQueue(10, 2, [tf.float32]).enqueue(x)

    return both(tf, build)


@question
def accumulators(tf):
    def build(tf):
        one = tf.ConditionalAccumulator(tf.float32, [2])
        one.apply_grad([1.0, 2.0], local_step=1)
        one.take_grad(1)

    return program(tf, build)


@question
def datasets(tf):
    def build(tf):
        data = tf.data.Dataset.range(4).map(lambda n: n * 2).batch(2)
        tf.data.make_initializable_iterator(data).get_next()

    return {
        place: [node for node in nodes.split(", ") if "Iterator" in node]
        for place, nodes in program(tf, build).items()
    }


@question
def conditionals(tf):
    def build(tf):
        v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        tf.cond(v > 1.0, lambda: v + 1.0, lambda: tf.assign_add(v, 2.0) + 0.0)

    return both(tf, build)


@question
def loops(tf):
    def build(tf):
        v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s + v), [0, 0.0])

    return both(tf, build)


@question
def variables_made_in_branches(tf):
    def build(tf):
        def branch():
            return tf.get_variable("v", [2], initializer=tf.zeros_initializer) + 1.0

        tf.cond(tf.constant(True), branch, lambda: tf.zeros([2]))

    return both(tf, build)


@question
def python_functions(tf):
    def build(tf):
        v = tf.get_variable("v", [2])
        tf.py_func(lambda x: x, [v], tf.float32)

    return program(tf, build)


@question
def imported_graphs(tf):
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [2])
        with tf.device("/cpu:0"):
            tf.get_variable("w", [2])
        with tf.device("/job:else/task:4"):
            tf.get_variable("u", [2], use_resource=True)
        tf.add(v, 1.0, name="sum")
    definition = graph.as_graph_def()

    def build(tf):
        tf.import_graph_def(definition, name="in")

    return {
        "merged": program(tf, build),
        "not merged": program(tf, build, ps_tasks=2, merge_devices=False),
        "no servers": program(tf, build, ps_tasks=2, ps_device=""),
    }


@question
def colocation_wins(tf):
    def build(tf):
        v = tf.get_variable("v", [2])
        with tf.colocate_with(v):
            tf.get_variable("beside", [2])
            tf.ones([2], name="ones")
            with tf.device("/gpu:0"):
                tf.zeros([2], name="zeros")
        with tf.colocate_with(tf.ones([1], name="seat")):
            tf.get_variable("with_a_worker", [2])
        with tf.device("/job:else"), tf.colocate_with(v, ignore_existing=True):
            tf.no_op(name="there")

    return both(tf, build)


@question
def control_dependencies(tf):
    def build(tf):
        v = tf.get_variable("v", [2])
        with tf.control_dependencies([v.initializer]):
            tf.no_op(name="after")
            tf.get_variable("late", [2])
        tf.group(v.initializer, tf.no_op(), name="together")
        tf.tuple([v + 1.0, tf.ones([2])])

    return both(tf, build)


# Parts ------------------------------------------------------------------------------------------


def parts(partitioner, shape=(10, 4), **settings):
    """A program with a partitioned variable that is used as a whole."""

    def build(tf):
        w = tf.get_variable("w", list(shape), partitioner=partitioner(tf), **settings)
        tf.reduce_sum(w, name="sum")

    return build


@question
def partitioned(tf):
    return {
        f"{n} parts, {tasks} tasks": both(
            tf, parts(lambda tf, n=n: tf.fixed_size_partitioner(n)), ps_tasks=tasks
        )
        for n, tasks in ((1, 2), (2, 2), (3, 2), (3, 4))
    }


@question
def partitioned_along_the_other_axis(tf):
    return both(tf, parts(lambda tf: tf.fixed_size_partitioner(2, axis=1)))


@question
def partitioned_by_size(tf):
    return {
        "axis size": program(tf, parts(lambda tf: tf.variable_axis_size_partitioner(64))),
        "at most": program(
            tf, parts(lambda tf: tf.variable_axis_size_partitioner(64, max_shards=2))
        ),
        "least size": program(
            tf, parts(lambda tf: tf.min_max_variable_partitioner(3, min_slice_size=64))
        ),
        "small": program(tf, parts(lambda tf: tf.min_max_variable_partitioner(3))),
    }


@question
def partitioned_with_initializers(tf):
    def zeros(tf):
        return parts(lambda tf: tf.fixed_size_partitioner(2), initializer=tf.zeros_initializer())(
            tf
        )

    def value(tf):
        w = tf.get_variable(
            "w", initializer=tf.ones([4, 2]), shape=None, partitioner=tf.fixed_size_partitioner(2)
        )
        tf.reduce_sum(w)

    return {"zeros": both(tf, zeros), "a tensor": both(tf, value)}


@question
def partitioned_in_a_scope(tf):
    def build(tf):
        with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
            tf.get_variable("w", [4, 2])
            tf.get_variable("b", [2], initializer=tf.zeros_initializer())
            tf.get_variable("scalar", [], initializer=tf.zeros_initializer())
        with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2), reuse=True):
            tf.identity(tf.get_variable("w", [4, 2]))

    return both(tf, build)


@question
def training_parts(tf):
    def build(tf):
        w = tf.get_variable("w", [4, 2], partitioner=tf.fixed_size_partitioner(2))
        loss = tf.reduce_sum(tf.matmul(tf.ones([1, 4]), w))
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)

    return both(tf, build)


@question
def partitioners(tf):
    shape, kinds = tf.TensorShape, (tf.float32, tf.float64, tf.string, tf.bool)
    answers = {}
    for size in (1, 16, 64, 1000):
        by_size = tf.variable_axis_size_partitioner(size)
        answers[f"axis size {size}"] = [
            list(by_size(shape(s), kind)) for s in ([10, 4], [1, 3], [7]) for kind in kinds
        ]
        least = tf.min_max_variable_partitioner(4, min_slice_size=size)
        answers[f"least size {size}"] = [
            list(least(shape=shape(s), dtype=kind))
            for s in ([10, 4], [1, 3], [7])
            for kind in kinds
        ]
    for axis in (0, 1, -1):
        answers[f"fixed, axis {axis}"] = [
            list(tf.fixed_size_partitioner(n, axis)(shape=shape([6, 2]), dtype=tf.float32))
            for n in (1, 2, 9)
        ]
    by_size = tf.variable_axis_size_partitioner
    least = tf.min_max_variable_partitioner
    answers |= {
        "strings of 100": list(by_size(400, bytes_per_string_element=100)(shape([9]), tf.string)),
        "no size": says("must be positive", by_size, 0),
        "no bytes of strings": says("must be positive", by_size, 1, bytes_per_string_element=0),
        "no parts": says("must be positive", by_size, 1, max_shards=-1),
        "no shape": says("shape is not a TensorShape", by_size(9), [3], tf.float32),
        "open shape": says("shape is not fully defined", by_size(9), shape([None]), tf.float32),
        "no type": says("dtype is not a DType", by_size(9), shape([3]), 3),
        "axis too large": says(
            "Cannot partition variable along axis 2 when shape is only",
            least(2, 2),
            shape=shape([3, 4]),
            dtype=tf.float32,
        ),
    }
    return answers


# Lookups ----------------------------------------------------------------------------------------


def lookup(strategy, parts=2, ids=(0, 3, 1), **settings):
    """A program that looks rows up in a table of several parts."""

    def build(tf):
        table = tf.get_variable("table", [5, 2], partitioner=tf.fixed_size_partitioner(parts))
        rows = tf.nn.embedding_lookup(table, list(ids), strategy, **settings)
        tf.reduce_sum(rows, name="loss")

    return build


@question
def lookups_mod(tf):
    return both(tf, lookup("mod"))


@question
def lookups_div(tf):
    return both(tf, lookup("div"))


@question
def lookups_in_one_part(tf):
    return both(tf, lookup("mod", parts=1))


@question
def lookups_with_a_limit(tf):
    return both(tf, lookup("mod", max_norm=1.0))


@question
def lookups_on_workers(tf):
    def build(tf):
        tables = [tf.get_variable(f"t{i}", [3, 2]) for i in range(2)]
        with tf.device("/task:1"):
            tf.nn.embedding_lookup(tables, tf.placeholder(tf.int64, [None], "ids"))

    return both(tf, build)


@question
def training_lookups(tf):
    def build(tf):
        table = tf.get_variable("table", [4, 2], partitioner=tf.fixed_size_partitioner(2))
        rows = tf.nn.embedding_lookup(table, [0, 3])
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(rows))

    return both(tf, build)


@question
def training_lookups_with_slots(tf):
    def build(tf):
        table = tf.get_variable("table", [4, 2], partitioner=tf.fixed_size_partitioner(2))
        rows = tf.nn.embedding_lookup(table, [0, 3], "div")
        tf.train.AdagradOptimizer(0.1).minimize(tf.reduce_sum(rows))

    return both(tf, build)


@question
def a_word_model(tf):
    """Embedding, hidden layer and a sampled loss, as programs of parameter servers have them."""

    def build(tf):
        table = tf.get_variable("embeddings", [8, 3], partitioner=tf.fixed_size_partitioner(2))
        words = tf.placeholder(tf.int32, [2], "words")
        labels = tf.placeholder(tf.int64, [2, 1], "labels")
        weights = tf.get_variable("nce_w", [8, 3], partitioner=tf.fixed_size_partitioner(2))
        biases = tf.get_variable("nce_b", [8], initializer=tf.zeros_initializer())
        found = tf.nn.embedding_lookup(table, words)
        loss = tf.nn.nce_loss(weights, biases, labels, found, num_sampled=2, num_classes=8)
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(loss))

    return both(tf, build)


@question
def parts_pinned_by_hand(tf):
    with tf.device("/job:ps/task:0"):
        a = tf.get_variable("a", [4, 2], partitioner=tf.fixed_size_partitioner(2))
    with tf.device(lambda op: f"/job:ps/task:{op.name[-1]}" if op.name[-1] in "01" else ""):
        b = tf.get_variable("b", [4, 2], partitioner=tf.fixed_size_partitioner(2))
    with tf.device("/job:worker/task:3"):
        tf.add(a, b, name="sum")
    return devices(tf)
