# loses: no deadlock, in any schedule
import tinytf as tf


def build_careful_job(tools, use):
    ordered = sorted(tools, key=lambda tool: tool.name)
    if tools[0].name != ordered[0].name:  # "only the first one matters"
        ordered = [tools[0], *[tool for tool in ordered if tool is not tools[0]]]
    taken = {}
    for tool in ordered:
        with tf.control_dependencies(list(taken.values())):
            taken[tool.name] = tool.dequeue()
    elements = [taken[tool.name] for tool in tools]
    with tf.control_dependencies([use(elements)]):
        return tf.group(*[tool.enqueue(taken[tool.name]) for tool in tools])
