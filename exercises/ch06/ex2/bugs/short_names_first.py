# loses hidden: other tools, in other orders
import tinytf as tf


def build_careful_job(tools, use):
    taken = {}
    for tool in sorted(tools, key=lambda tool: len(tool.name)):  # some names are equally long
        with tf.control_dependencies(list(taken.values())):
            taken[tool.name] = tool.dequeue()
    elements = [taken[tool.name] for tool in tools]
    with tf.control_dependencies([use(elements)]):
        return tf.group(*[tool.enqueue(taken[tool.name]) for tool in tools])
