# loses: no deadlock, in any schedule
import tinytf as tf


def build_careful_job(tools, use):
    elements = []
    for tool in tools:
        with tf.control_dependencies(elements):
            elements.append(tool.dequeue())
    with tf.control_dependencies([use(elements)]):
        return tf.group(*[tool.enqueue(e) for tool, e in zip(tools, elements)])
