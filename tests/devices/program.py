"""A program with a session on simulated GPUs, which does what it is told on its stdin.

    python -P program.py COUNT MEMORY MACHINE [GPU_OPTIONS as JSON]

Every command is answered with a line of JSON; what the session itself prints comes along.
    hold NAME MEGABYTES [GPU]   a variable of this size
    compute MEGABYTES           a step with such a tensor, of which nothing stays
    die                         as in a crash: nothing is tidied up
"""

import contextlib
import io
import json
import os
import sys

import tinytf as tf


def main(count, memory, machine, options="{}"):
    tf.devices.simulate_gpus(int(count), memory, machine)
    config = tf.ConfigProto(gpu_options=tf.GPUOptions(**json.loads(options)))
    session = tf.Session(config=config)
    tell(pid=os.getpid())
    for line in sys.stdin:
        command, *arguments = line.split()
        printed = io.StringIO()
        problem = ""
        with contextlib.redirect_stdout(printed):
            try:
                COMMANDS[command](session, *arguments)
            except tf.errors.ResourceExhaustedError as error:
                problem = str(error)
        tell(printed=printed.getvalue(), problem=problem)


def tell(**answer):
    print(json.dumps(answer), flush=True)


def hold(session, name, megabytes, gpu="0"):
    with tf.device(f"/gpu:{gpu}"):
        variable = tf.get_variable(name, initializer=tf.zeros([int(megabytes), 1 << 18]))
    session.run(variable.initializer)


def compute(session, megabytes):
    with tf.device("/gpu:0"):
        session.run(tf.reduce_sum(tf.random_normal([int(megabytes), 1 << 18])))


def die(session):
    os._exit(3)


COMMANDS = {"hold": hold, "compute": compute, "die": die}

if __name__ == "__main__":
    main(*sys.argv[1:])
