"""Checks of ch03.ex2."""

import threading

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.testing import run_with_seed

SEEDS = 60


def bank(answer):
    """Two accounts with 100 each, and two transfers: 30 forth, 20 back."""
    accounts = [
        tf.get_variable(name, initializer=100.0, use_resource=True) for name in ("ann", "bob")
    ]
    ann, bob = accounts
    transfers = [
        answer(ann, bob, tf.constant(30.0)),
        answer(bob, ann, tf.constant(20.0)),
    ]
    for made in transfers:
        if not isinstance(made, tf.Operation | tf.Tensor):
            raise Wrong(
                "build_transfer must return one operation", "an operation",
                f"a {type(made).__name__}", hint="tf.group(...) makes one operation of many",
            )  # fmt: skip
    return accounts, transfers


def balances(sess, accounts):
    return [float(value) for value in sess.run(accounts)]


@point("one transfer moves the money", 1)
def one_transfer(answer):
    accounts, transfers = bank(answer)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for transfer, wanted in zip(transfers, ([70.0, 130.0], [90.0, 110.0]), strict=True):
            sess.run(transfer)
            got = balances(sess, accounts)
            if got != wanted:
                raise Wrong("after a transfer, giver and taker have other sums", wanted, got)


@point("two transfers at the same time lose nothing, in any schedule", 4)
def no_race(answer):
    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            accounts, transfers = bank(answer)
            sess.run(tf.global_variables_initializer())
            threads = [
                threading.Thread(target=sess.run, args=(transfer,), name=name)
                for transfer, name in zip(transfers, ("forth", "back"), strict=True)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return balances(sess, accounts)

    for seed in range(SEEDS):
        run = run_with_seed(program, seed)
        if run.error is not None:
            raise run.error
        if run.value != [90.0, 110.0]:
            raise Wrong(
                f"schedule {seed}: 30 forth and 20 back leave other sums", [90.0, 110.0],
                f"{run.value}, together {sum(run.value or [0.0]):g} of 200",
                hint="between a read and a write of two operations, another step may come; "
                "which operations read and write at once?",
            )  # fmt: skip
