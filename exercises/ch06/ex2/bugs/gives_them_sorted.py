# loses: one job works with its tools, in the order given, and puts each back
import tinytf as tf


def build_careful_job(tools, use):
    ordered = sorted(tools, key=lambda tool: tool.name)
    taken = []
    for tool in ordered:
        with tf.control_dependencies(taken):
            taken.append(tool.dequeue())
    with tf.control_dependencies([use(taken)]):
        return tf.group(*[tool.enqueue(e) for tool, e in zip(ordered, taken)])
