import tinytf as tf


def build_careful_job(tools, use):
    taken = {}
    for tool in sorted(tools, key=lambda tool: tool.name):  # the same order for everybody
        with tf.control_dependencies(list(taken.values())):
            taken[tool.name] = tool.dequeue()
    elements = [taken[tool.name] for tool in tools]
    with tf.control_dependencies(elements):
        work = use(elements)
    with tf.control_dependencies([work]):
        return tf.group(*[tool.enqueue(taken[tool.name]) for tool in tools])
