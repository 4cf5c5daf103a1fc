# loses: one job works with its tools, in the order given, and puts each back
import tinytf as tf


def build_careful_job(tools, use):
    taken = {}
    for tool in sorted(tools, key=lambda tool: tool.name):
        with tf.control_dependencies(list(taken.values())):
            taken[tool.name] = tool.dequeue()
    with tf.control_dependencies([use([taken[tool.name] for tool in tools])]):
        return tools[0].enqueue(taken[tools[0].name])
