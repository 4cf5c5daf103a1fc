"""Checks of ch06.ex3: what is predicted is compared with the program of the task, which is run."""

import linecache
import re

from tinytf.grading import Wrong, point
from tinytf.testing.schedules.running import run_with_seed

SEEDS = 30
#: The program of text.md, word for word.
PROGRAM = '''
import threading

import tinytf as tf


def build_restaurant(orders, room, cook, serve):
    """Three threads: a dictionary, name -> what it does with a session."""
    line = tf.FIFOQueue(room, tf.int32, shapes=[[]], name="line")
    dishes = tf.FIFOQueue(room, tf.int32, shapes=[[]], name="dishes")
    order = tf.placeholder(tf.int32, [], name="order")
    put_line, take_line = line.enqueue(order), line.dequeue()
    put_dish, take_dish = dishes.enqueue(order), dishes.dequeue()

    def waiter(sess):  # brings the orders in
        for number in orders:
            sess.run(put_line, {order: number})

    def chef(sess):
        done = 0
        while done < len(orders):
            number = int(sess.run(take_line))
            if cook(number):
                sess.run(put_dish, {order: number})
                done += 1
            else:  # something is missing: to the end of the line
                sess.run(put_line, {order: number})

    def guest(sess):
        for _ in range(len(orders)):
            serve(int(sess.run(take_dish)))

    return {"waiter": waiter, "chef": chef, "guest": guest}


def dinner(orders, room):
    """All three at the same time; the dishes in the order they came."""
    cooked, served = set(), []

    def cook(number):
        """Whether it worked: order 0 needs what comes with order 1."""
        if number == 0 and 1 not in cooked:
            return False
        cooked.add(number)
        return True

    with tf.Graph().as_default(), tf.Session() as sess:
        work = build_restaurant(range(orders), room, cook, served.append)
        threads = []
        for name, does in work.items():
            thread = threading.Thread(target=does, args=[sess], name=name)
            threads.append(thread)
            thread.start()
        for thread in threads:
            thread.join()
    return served
'''
FILE = "the program"
POSSIBLE = [(what, queue) for what in ("room", "element") for queue in ("line", "dishes")]


def load():
    """The functions of the program."""
    linecache.cache[FILE] = (len(PROGRAM), None, PROGRAM.splitlines(True), FILE)
    found = {}
    exec(compile(PROGRAM, FILE, "exec"), found)  # noqa: S102 - the text above
    return found


def deadlock(orders, room):
    """(who waits for what, the run) in the first schedule that hangs; ({}, None) if none does."""
    dinner = load()["dinner"]
    for seed in range(SEEDS):
        run = run_with_seed(lambda: dinner(orders, room), seed)
        if run.error is not None:
            raise run.error
        if run.broken:
            waits = r"^  (\w+) +waits for (room )?.*, in (\w+?)_"
            found = re.findall(waits, run.broken, re.MULTILINE)
            return {who: ("room" if what else "element", queue) for who, what, queue in found}, run
    return {}, None


def predicted(answer, orders, room):
    """What the answer says, as a dictionary of pairs."""
    said = answer(orders, room)
    if not isinstance(said, dict):
        raise Wrong(
            "who_waits must return a dictionary", "thread -> (what, queue)", type(said).__name__
        )
    plain = {}
    for who, what in said.items():
        pair = tuple(what) if type(what) in (tuple, list) else ()
        texts = [type(one) is str for one in (who, *pair)] == [True] * 3
        if not texts or who not in WHY or pair not in POSSIBLE:
            raise Wrong(
                "who_waits says something that cannot be",
                '"guest": ("element", "line"), for example',
                f"{who!r}: {what!r}",
            )
        plain[who] = pair
    return plain


def words(waiting):
    """A value of the dictionary in words."""
    return f"waits for {waiting[0]} in {waiting[1]!r}" if waiting else "does not wait for ever"


def really(run):
    """What happened in the run, as a text."""
    waits = re.findall(r"^  (?!MainThread)(\w+ +waits .*)$", run.broken, re.MULTILINE)
    ran = r"^.{8}  (\w+) +(\w+_(?:enqueue|Dequeue)) \(\w+\)(?! has)( = \d+)?"
    order = [
        f"  {who}: {name}{value}" for who, name, value in re.findall(ran, run.trace, re.MULTILINE)
    ]
    return "\n".join(
        [
            f"Schedule {run.seed}, in this order:",
            *order[-10:],
            "and then:",
            *(f"  {w}" for w in waits),
        ]
    )


def compare(answer, who, orders, room):
    """Wrong unless the answer says of one thread what is true."""
    truth, run = deadlock(orders, room)
    said = predicted(answer, orders, room).get(who)
    if said != truth.get(who):
        told = f"\n{really(run)}" if run else f"\nIt ended in all of {SEEDS} schedules."
        raise Wrong(
            f"dinner({orders}, {room}), the {who}: {WHY[who](said)}",
            words(truth.get(who)),
            words(said) + told,
        )


def why_chef(said):
    """What to tell who is wrong about the chef."""
    if said is None:
        return (
            "the chef has order 0 in hand, which cannot be cooked yet. Is there room in the "
            "line for it? And who would have to make some?"
        )
    if said[0] == "element":
        return (
            "there is something to take, but the chef has an order in hand, which goes back first"
        )
    return "a dish goes into 'dishes', but order 0 is none: it goes back to where it came from"


def why_waiter(said):
    """What to tell who is wrong about the waiter."""
    if said is None:
        return "there is an order more, and nobody takes one out of the line"
    if said[0] == "element":
        return "the waiter takes nothing out of a queue, but puts orders in"
    return "the waiter has nothing to do with dishes"


def why_guest(said):
    """What to tell who is wrong about the guest."""
    if said is None:
        return "the guest wants all dishes, and nobody is left who cooks one"
    return "the guest puts nothing in, but takes dishes out"


WHY = {"chef": why_chef, "waiter": why_waiter, "guest": why_guest}


@point("what the chef waits for, of dinner(4, 2)", 2)
def the_chef(answer):
    compare(answer, "chef", 4, 2)


@point("what the waiter waits for, of dinner(4, 2)", 1)
def the_waiter(answer):
    compare(answer, "waiter", 4, 2)


@point("what the guest waits for, of dinner(4, 2)", 1)
def the_guest(answer):
    compare(answer, "guest", 4, 2)


def compare_all(answer, orders, room):
    """The same for all three; the message says what is different with these numbers."""
    truth, run = deadlock(orders, room)
    said = predicted(answer, orders, room)
    if said == truth:
        return
    if run is None:
        why = "the line has room for all the orders there are: nobody ever waits for room in it"
    elif "waiter" in said and "waiter" not in truth:
        why = (
            f"{room} in the line and one in the chef's hand make {orders}: the waiter has put "
            "all of them in, and ended"
        )
    elif not said:
        why = "one in the chef's hand, and the line full: it can hang"
    else:
        who = next(one for one in WHY if said.get(one) != truth.get(one))
        why = f"the {who}: {WHY[who](said.get(who))}"
    told = f"\n{really(run)}" if run else f"\nIt ended in all of {SEEDS} schedules."
    raise Wrong(f"dinner({orders}, {room}): {why}", truth, f"{said}{told}")


@point("room for all orders: dinner(2, 2)", 1)
def room_for_all(answer):
    compare_all(answer, 2, 2)


@point("one order more than that: dinner(3, 2)", 1)
def one_more(answer):
    compare_all(answer, 3, 2)
