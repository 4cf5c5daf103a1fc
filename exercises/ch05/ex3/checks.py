"""Checks of ch05.ex3: what is predicted is compared with a cluster, where the client is run."""

import tinytf as tf
from tinytf.distributed.cluster.ports import reserve
from tinytf.distributed.inspection import look
from tinytf.grading import Wrong, point

#: The program of text.md, word for word.
PROGRAM = '''
import tinytf as tf


def run_client(client, target):
    """Build the client's variables in a graph of its own; initialise them."""
    setter = tf.train.replica_device_setter(ps_tasks=2)
    with tf.Graph().as_default(), tf.device(setter if client["in turn"] else ""):
        for name, device, container in client["variables"]:
            with tf.device(device), tf.container(container):
                tf.Variable(0.0, name=name)
        initialise = tf.global_variables_initializer()
        with tf.Session(target) as sess:
            sess.run(initialise)
            return [variable.op.name for variable in tf.global_variables()]
'''
TASKS = ("ps:0", "ps:1", "worker:0", "worker:1")
PS_0, PS_1 = "/job:ps/task:0", "/job:ps/task:1"

#: Task -> its server, when a prediction has been made. They end with this process.
servers = {}


def cluster():
    """The servers of the four tasks; three of a kind in one process talk like real ones."""
    if not servers:
        kept = [reserve() for _ in TASKS]
        addresses = [f"localhost:{socket.getsockname()[1]}" for socket in kept]
        spec = tf.train.ClusterSpec({"ps": addresses[:2], "worker": addresses[2:]})
        for task in TASKS:
            job, index = task.split(":")
            servers[task] = tf.train.Server(spec, job, int(index))
        for socket in kept:
            socket.close()
    return servers


def truth(client):
    """Where the variables of a client really are, on a cluster that had none before."""
    targets = {task: server.target for task, server in cluster().items()}
    target = targets[client["server"]]
    tf.Session.reset(target)
    tf.Session.reset(target, sorted({room for _, _, room in client["variables"]} - {""}) or ["red"])
    program = {}
    exec(compile(PROGRAM, "the program", "exec"), program)  # noqa: S102 - the text above
    names = program["run_client"](client, target)
    found = {}
    for task, address in targets.items():
        for row in look(address.removeprefix("grpc://"), ["variables"])["variables"]:
            if row["initialized"]:
                found[row["name"]] = (task, row["container"], row["name"])
    return [found[name] for name in names]


def predicted(answer, client):
    """What the answer says, as a list of triples of texts."""
    said = answer({**client, "variables": list(client["variables"])})
    wanted = len(client["variables"])
    rows = said if type(said) in (list, tuple) else []
    triples = [tuple(one) for one in rows if type(one) in (list, tuple)]
    texts = all(len(one) == 3 and all(type(part) is str for part in one) for one in triples)
    if len(triples) != wanted or not texts:
        raise Wrong(
            "where must return a list of (task, container, name), one for each variable",
            f"{wanted} such triples",
            repr(said)[:120],
        )
    return triples


def ask(answer, client):
    """Wrong if the answer is wrong about one of the client's variables."""
    said = predicted(answer, client)
    for number, real in enumerate(truth(client)):
        if said[number] != real:
            raise Wrong(
                f"{words(client)}: its variable {number + 1} is elsewhere. "
                f"{why(client, number, said[number], real)}",
                real,
                said[number],
            )


def words(client):
    """A client, short."""
    how = ", in turn" if client["in turn"] else ""
    return f"a client of {client['server']}{how} with {client['variables']}"


def why(client, number, said, real):
    """What to tell who expects a variable elsewhere."""
    name, device, container = client["variables"][number]
    if said[0] != real[0] and device:
        return "Its device says on which task it is, whatever server the client talks to."
    if said[0] != real[0] and client["in turn"]:
        return (
            "Turns go ps:0, ps:1, ps:0, and so on; a variable with a device of its own uses up "
            "a turn as well."
        )
    if said[0] != real[0]:
        return (
            "It has no device, and nothing deals it out: it is on the task of the server that "
            "its client talks to."
        )
    if said[1] != real[1]:
        if container:
            return "It was built inside of a container, which is there on every task."
        return "Without a container it is in the default one, which is called like the task's job."
    return (
        (
            f"Names are unique in a graph, whatever the container: it is not the first {name!r} "
            "of this graph."
        )
        if real[2] != name
        else "It is the first of that name."
    )


def client(server, *variables, in_turn=False):
    """A client as the task describes it."""
    return {"server": server, "in turn": in_turn, "variables": list(variables)}


@point("a variable with a device", 1)
def with_a_device(answer):
    ask(answer, client("worker:1", ("v", PS_0, "red")))
    ask(answer, client("ps:0", ("v", PS_1, "red")))


@point("a variable without a device", 2)
def without_a_device(answer):
    ask(answer, client("worker:1", ("v", "", "red")))
    ask(answer, client("ps:1", ("v", "", "red")))


@point("containers, and none", 2)
def containers(answer):
    ask(answer, client("worker:0", ("v1", PS_0, "red"), ("v2", PS_0, "")))
    ask(answer, client("worker:1", ("v1", "", ""), ("v2", "", "blue")))


@point("two variables of one name", 2)
def one_name(answer):
    ask(answer, client("worker:0", ("x", PS_0, "red"), ("x", PS_0, "red")))
    ask(answer, client("worker:0", ("x", PS_0, "red"), ("x", PS_0, "blue"), ("x", PS_1, "blue")))


@point("in turn, also beside one that has its place", 2)
def in_turn(answer):
    ask(answer, client("worker:0", *[(name, "", "red") for name in "abc"], in_turn=True))
    some = [("a", "", "red"), ("b", "", "red"), ("c", PS_1, "red"), ("d", "", "red")]
    ask(answer, client("worker:1", *some, in_turn=True))
