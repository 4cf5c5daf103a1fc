"""Checks of ch03.ex2."""

import threading

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.testing.schedules.running import run_with_seed

SEEDS = 60
#: (giver, taker, amount)
TRANSFERS = [("ann", "bob", 30.0), ("bob", "ann", 20.0)]
#: Of a schedule that went wrong, turns that a reply tells.
MOST_TURNS = 12


def bank(answer, transfers=TRANSFERS):
    """Accounts with 100 each, by name, and an operation for each transfer."""
    names = sorted({name for giver, taker, _ in transfers for name in (giver, taker)})
    accounts = {name: tf.get_variable(name, initializer=100.0, use_resource=True) for name in names}
    made = [
        answer(accounts[giver], accounts[taker], tf.constant(amount))
        for giver, taker, amount in transfers
    ]
    # assign_add(...) alone is a variable to be read: what it does is one of its operations.
    made = [tf.convert_to_tensor(one) if isinstance(one, tf.Variable) else one for one in made]
    for one in made:
        if not isinstance(one, tf.Operation | tf.Tensor):
            raise Wrong(
                "build_transfer must return one operation",
                "an operation",
                f"a {type(one).__name__}",
                hint="tf.group(...) makes one operation of many",
            )
    return accounts, made


def balances(sess, accounts):
    return {name: float(value) for name, value in sess.run(accounts).items()}


def after(transfers):
    """The accounts when all is done."""
    sums = {}
    for giver, taker, amount in transfers:
        sums[giver] = sums.get(giver, 100.0) - amount
        sums[taker] = sums.get(taker, 100.0) + amount
    return dict(sorted(sums.items()))


def check_race(answer, transfers=TRANSFERS):
    """All transfers at the same time, each in a thread of its own, under many schedules."""
    titles = [f"{giver}->{taker}" for giver, taker, _ in transfers]

    def program():
        with tf.Graph().as_default(), tf.Session() as sess:
            accounts, made = bank(answer, transfers)
            sess.run(tf.global_variables_initializer())
            threads = [
                threading.Thread(target=sess.run, args=(transfer,), name=title)
                for transfer, title in zip(made, titles, strict=True)
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
        if run.value != after(transfers):
            told = ", ".join(
                f"{title} {amount:g}" for title, (*_, amount) in zip(titles, transfers, strict=True)
            )
            raise Wrong(
                f"in schedule {seed}, {told} at the same time leave other sums. In this order: "
                f"{order_of(run, titles)}",
                after(transfers),
                run.value,
                hint="between a read and a write of two operations, another step may come; "
                "which operations read and write at once?",
            )


def order_of(run, titles):
    """Who read and wrote what, turn by turn."""
    turns = []
    for line in run.trace.splitlines():
        _, _, rest = line.strip().partition(" ")
        for title in titles:
            if rest.strip().startswith(f"{title} ") and "VariableOp" in rest:
                node, _, value = rest.strip().removeprefix(title).strip().partition(")")
                reads = "ReadVariableOp" in node
                value = value.split()[1] if value.strip().startswith("=") else ""
                turns.append(f"{title} reads {value}" if reads else f"{title} writes")
    return ", ".join(turns[:MOST_TURNS])


@point("one transfer moves the money", 1)
def one_transfer(answer):
    accounts, transfers = bank(answer)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for count, transfer in enumerate(transfers, start=1):
            sess.run(transfer)
            got, wanted = balances(sess, accounts), after(TRANSFERS[:count])
            if got != wanted:
                giver, taker, amount = TRANSFERS[count - 1]
                raise Wrong(
                    f"{giver} gives {taker} {amount:g}: then there are other sums",
                    wanted,
                    got,
                    hint="what the operation that you return does not need, does not run; the "
                    "giver has less afterwards, and the taker more",
                )


@point("two transfers at the same time lose nothing, in any schedule", 4)
def no_race(answer):
    check_race(answer)
