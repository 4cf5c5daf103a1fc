"""What questions about devices share: programs in a device setter, and where their nodes are."""


def devices(tf):
    """The nodes of the graph by their device and whom they must be with: "Type name, ..."."""
    told = {}
    for op in tf.get_default_graph().get_operations():
        with_ = [
            group.decode() for group in op.colocation_groups() if group.decode()[5:] != op.name
        ]
        told.setdefault(" ".join([op.device or "-", *with_]), []).append(f"{op.type} {op.name}")
    return {place: ", ".join(sorted(told[place])) for place in sorted(told)}


def under(tf, *scopes, build=None):
    """The device of a node inside device scopes."""
    if not scopes:
        return (build or tf.no_op)().device
    with tf.device(scopes[0]):
        return under(tf, *scopes[1:], build=build)


def program(tf, build, resource=False, **setter):
    """All devices of what `build` makes inside a device setter."""
    with tf.Graph().as_default():
        with tf.variable_scope("", use_resource=resource):
            with tf.device(tf.train.replica_device_setter(**(setter or {"ps_tasks": 2}))):
                build(tf)
        return devices(tf)


def both(tf, build, **setter):
    """A program with variables of either kind."""
    return {
        "reference": program(tf, build, resource=False, **setter),
        "resource": program(tf, build, resource=True, **setter),
    }
