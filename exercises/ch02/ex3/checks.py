"""Checks of ch02.ex3: the programs run as processes that share one simulated card."""

import json
import os
import subprocess
import sys

import tinytf as tf
from tinytf.grading import Wrong, point

#: What every program does; as in the task.
PROGRAM = """\
tables = [
    tf.Variable(tf.zeros([512, 1024]), name=f"table{number}")  # 2 MiB
    for number in range(megabytes // 2 - 1)
]
sess = tf.Session(config=config)
for table in tables:
    sess.run(table.initializer)
"""
CARD = 64
NEEDS = {"training": 30, "evaluation": 18, "notebook": 8, "archive": 80}

#: A process that starts programs one after the other. It forks them, before it has threads: so
#: tinytf is imported once, and each program is a process with an account of its own.
LAUNCHER = r"""
import json, os, sys
import tinytf as tf
from tinytf.placement import explain

def program(text, megabytes, config, machine, card):
    try:
        tf.devices.simulate_gpus(1, memory=f"{card}MiB", machine=machine)
        names = {"tf": tf, "megabytes": megabytes, "config": config}
        exec(text, names)
        device = explain(names["tables"][0], names["sess"]).device.rpartition("device:")[2]
        result = {"device": device}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
    machines = tf.devices.report.gpus().machines
    shares = [one for gpu in machines[0].gpus for one in gpu.processes] if machines else []
    result["taken"] = sum(one.memory for one in shares if one.pid == os.getpid()) / 2**20
    return result

silence = os.open(os.devnull, os.O_WRONLY)
for line in sys.stdin:
    order = json.loads(line)
    results, waiting = [], []
    for name, megabytes, data in order["programs"]:
        said, say = os.pipe()
        wait, end = os.pipe()
        pid = os.fork()
        if not pid:
            os.dup2(silence, 1)
            config = tf.ConfigProto.FromString(bytes.fromhex(data))
            result = program(order["text"], megabytes, config, order["machine"], order["card"])
            os.write(say, json.dumps({"name": name, **result}).encode())
            os.close(say)
            os.close(end)
            os.read(wait, 1)  # it keeps what it has, until all have been started
            os._exit(0)
        os.close(say)
        os.close(wait)
        waiting.append((pid, end))
        with os.fdopen(said, encoding="utf-8") as words:
            results.append(json.loads(words.read() or '{"error": "the process ended"}'))
        if "error" in results[-1]:
            break
    for pid, end in waiting:
        os.write(end, b"e")
        os.close(end)
        os.waitpid(pid, 0)
    print(json.dumps(results), flush=True)
"""
_launchers = []


def started(answer, names, needs, card):
    """Start programs in this order, each beside those before it; what came of each of them."""
    programs = [[name, needs[name], configured(answer, name, needs, card)] for name in names]
    if not _launchers:
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        _launchers.append(process)
    order = {
        "text": PROGRAM,
        "machine": f"exercise-{os.getpid()}",
        "card": card,
        "programs": [
            [name, need, config.SerializeToString().hex()] for name, need, config in programs
        ],
    }
    launcher = _launchers[0]
    launcher.stdin.write(json.dumps(order) + "\n")
    launcher.stdin.flush()
    return json.loads(launcher.stdout.readline())


def configured(answer, name, needs, card):
    """The answer for one program, checked to be what was asked for."""
    config = answer(name, dict(needs), card)
    if not isinstance(config, tf.ConfigProto):
        hint = ""
        if isinstance(config, tf.GPUOptions):
            hint = "options of GPUs are a part of it: tf.ConfigProto(gpu_options=...)"
        raise Wrong(
            f"configure({name!r}, ...) must return a tf.ConfigProto",
            "a ConfigProto",
            f"a {type(config).__name__}",
            hint=hint,
        )
    return config


def fitting(needs, card):
    """The programs that the card has room for, the smallest first."""
    return sorted((name for name in needs if needs[name] <= card), key=needs.__getitem__)


def why(name, config, needs, card):
    """What one program's configuration made it take."""
    options = config.gpu_options
    fraction = options.per_process_gpu_memory_fraction
    if fraction:
        if fraction > 1:
            return f"{name} asks for {fraction:g} times the card: a fraction is a number up to 1"
        return (
            f"{name}'s part is {fraction:.3g} of {card} MiB, that is {fraction * card:.3g} MiB; it "
            f"needs {needs[name]}"
        )
    if options.allow_growth:
        return (
            f"{name} takes memory as it grows, in regions that double: more than it needs, and it "
            "gives nothing back. Whether the others find enough depends on who came first"
        )
    return f"{name} asks for nothing, so it takes all that is free, whatever it needs"


def look(answer, results, needs, card):
    """Raise what went wrong when programs were started in an order."""
    for result in results:
        name = result["name"]
        config = configured(answer, name, needs, card)
        if result.get("device") == "CPU:0":
            raise Wrong(
                f"{name} runs on the CPU, though the card has room for the {needs[name]} MiB that "
                "it needs",
                "GPU:0",
                "CPU:0",
            )
        if "error" not in result:
            continue
        others = [one for one in results if one is not result]
        blamed = (
            name if has_too_little(config, needs[name], card) else greedy(others, needs) or name
        )
        taken = ", ".join(f"{one['name']} {one['taken']:.0f} MiB" for one in others)
        beside = f", started after the others ({taken} taken)" if others else ""
        reason = why(blamed, configured(answer, blamed, needs, card), needs, card)
        raise Wrong(
            f"{name} fails{beside}: {reason}\n{result['error']}",
            f"{needs[name]} MiB for {name}",
            f"{result['taken']:.0f} MiB",
        )


def has_too_little(config, need, card):
    """Whether a program has asked for less than it needs."""
    fraction = config.gpu_options.per_process_gpu_memory_fraction
    return bool(fraction) and not need - 1 <= fraction * card <= card + 1


def greedy(results, needs):
    """The name of the program that has taken the most beyond its need; "" if none has."""
    beyond = {one["name"]: one["taken"] - needs[one["name"]] for one in results}
    most = max(beyond, key=beyond.__getitem__, default="")
    return most if most and beyond[most] > 1 else ""


@point("configure returns a tf.ConfigProto for every program", 1)
def kinds(answer):
    for name in NEEDS:
        configured(answer, name, NEEDS, CARD)


@point("every program that fits runs alone, on the GPU", 1)
def alone(answer):
    for name in fitting(NEEDS, CARD):
        look(answer, started(answer, [name], NEEDS, CARD), NEEDS, CARD)


@point("these programs run together, the smallest started first", 2)
def together(answer):
    names = fitting(NEEDS, CARD)
    look(answer, started(answer, names, NEEDS, CARD), NEEDS, CARD)


@point("they run together in any other order as well", 1)
def any_order(answer):
    small, middle, large = fitting(NEEDS, CARD)
    for names in ([large, middle, small], [middle, large, small]):
        look(answer, started(answer, names, NEEDS, CARD), NEEDS, CARD)


@point("a program that needs more than the card runs on the CPU, and takes nothing of the GPU", 1)
def too_large(answer):
    look_at_the_large(answer, NEEDS, CARD)


def look_at_the_large(answer, needs, card):
    """Whether the programs that no card has room for are on the CPU."""
    for name in sorted(set(needs) - set(fitting(needs, card))):
        [result] = started(answer, [name], needs, card)
        if "error" in result:
            raise Wrong(
                f"{name} needs {needs[name]} MiB, the card has {card}, and it fails: "
                f"{result['error']}",
                hint="what no card has room for can lie in the computer's own memory: give it a "
                "session without a GPU",
            )
        if result["device"] != "CPU:0" or result["taken"]:
            raise Wrong(
                f"{name} shall run on the CPU, and take nothing of the GPU",
                "CPU:0, 0 MiB",
                f"{result['device']}, {result['taken']:.0f} MiB",
                hint="device_count says how many devices of a type a session has",
            )
