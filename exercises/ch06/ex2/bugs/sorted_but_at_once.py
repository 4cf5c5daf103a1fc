# loses: no deadlock, in any schedule
import tinytf as tf


def build_careful_job(tools, use):
    taken = {tool.name: tool.dequeue() for tool in sorted(tools, key=lambda tool: tool.name)}
    elements = [taken[tool.name] for tool in tools]
    with tf.control_dependencies([use(elements)]):
        return tf.group(*[tool.enqueue(e) for tool, e in zip(tools, elements)])
