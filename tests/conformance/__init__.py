"""Conformance: the same programs, built and run by tinytf and by TensorFlow.

Adding a case
    Write a function into `cases/<family>.py` (a new file is a new family). It gets the library
    as `tf`, TensorFlow's or ours, builds ops in the default graph, and returns what to fetch:

        from tests.conformance.registry import Program, case

        @case("AddV2", "Sub")                      # the op types it stands for
        def add_and_subtract(tf):
            x = tf.constant([1.0, 2.0])
            return [tf.add(x, x), tf.subtract(x, 3.0)]

        @case("Exp", each=["float32", "float64"])  # one case for each value
        def exp(tf, dtype):
            return tf.exp(tf.constant([0.0, 1.0], dtype))

        @case("MatMul", error="Dimensions must be equal")   # words of both libraries' message
        def matmul_of_wrong_shapes(tf):
            return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))

        @case("AssignAdd")
        def counts(tf):
            v = tf.Variable(0, use_resource=False)
            return Program(tf.assign_add(v, 1), setup=[v.initializer], runs=3)

    A feed goes into `Program(fetches, feed={placeholder: value})`; a list of dictionaries feeds
    one run after another. Fetches nest as in `Session.run`; of a variable fetch `read_value()`.
    `registry.case` describes the other arguments: tolerances, random values, graphs that differ.

Recording it
    python3 scripts/oracle/record.py [family ...]

    runs the cases under TensorFlow 2.15.1 and writes `recorded/<family>.npz`: values, dtypes,
    static shapes, the graph that TensorFlow built, or the error. Commit the file with the case.

Running it
    python -m pytest tests/conformance [-k case_name]

    Each case is built and run here and compared with the recording; the graph that TensorFlow
    built is imported and run here; and, where there is a TensorFlow (marker `tensorflow`), the
    graph built here runs there.

A case must not depend on time, machine or chance, nor import either library.
"""
