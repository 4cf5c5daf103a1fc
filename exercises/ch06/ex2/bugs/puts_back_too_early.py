# loses: nothing is put back before the work is done
import tinytf as tf


def build_careful_job(tools, use):
    taken = {}
    for tool in sorted(tools, key=lambda tool: tool.name):
        with tf.control_dependencies(list(taken.values())):
            taken[tool.name] = tool.dequeue()
    work = use([taken[tool.name] for tool in tools])
    return tf.group(work, *[tool.enqueue(taken[tool.name]) for tool in tools])
