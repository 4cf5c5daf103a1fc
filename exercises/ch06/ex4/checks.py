"""Checks of ch06.ex4."""

import threading
import time

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.grading.assertions import in_every_schedule

SEEDS = 25
FEW = 8
#: So many attempts may fail in a row, before that is said to be of no use.
PATIENCE = 40


class Orders:
    """The numbers of the orders, one after the other; notes how many were begun."""

    def __init__(self, count, restaurant):
        self._left = iter(range(count))
        self._count, self._restaurant = count, restaurant

    def __len__(self):
        return self._count

    def __iter__(self):
        return self

    def __next__(self):
        number = next(self._left)
        self._restaurant.begin()
        return number


class Restaurant:
    """One evening: what was begun, cooked and served; needs: order -> the one before it."""

    def __init__(self, room, needs):
        self._room, self._needs = room, needs
        self._begun, self._cooked = 0, set()
        self._failed = []
        self.served, self.most = [], 0

    def begin(self):
        """The next order is asked for."""
        self._begun += 1
        self.most = max(self.most, self._begun - len(self._cooked))

    def cook(self, number):
        """Whether it worked."""
        number = int(number)
        time.sleep(0.001)  # noqa: TID251 - of the schedule's own time: others may go on
        if number in self._cooked:
            raise Wrong(f"cook({number}) was called though that order had been cooked already")
        needed = self._needs.get(number)
        if needed is None or needed in self._cooked:
            self._cooked.add(number)
            self._failed.clear()
            return True
        self._failed.append(number)
        if len(self._failed) > PATIENCE:
            missing = "has not been cooked" if needed < self._begun else "has not been asked for"
            raise Wrong(
                f"{PATIENCE} times in a row, what was tried could not be cooked: order {number} "
                f"needs order {needed}, which {missing}",
                f"order {needed} is cooked in between",
                f"tried again and again: {sorted(set(self._failed))}",
                hint="let others be cooked meanwhile, and let as many in as there is room for",
            )
        return False

    def serve(self, number):
        """A dish arrives."""
        self.served.append(int(number))


def evening(answer, count, room, needs=None):
    """(a program, which returns what was served, in order of number; the last restaurant)."""
    last = []

    def program():
        restaurant = Restaurant(room, needs or {})
        last[:] = [restaurant]
        with tf.Graph().as_default(), tf.Session() as sess:
            work = answer(Orders(count, restaurant), room, restaurant.cook, restaurant.serve)
            if not isinstance(work, dict) or not all(map(callable, work.values())):
                raise Wrong(
                    "build_better_restaurant must return a dictionary",
                    "name -> a function that takes a session",
                    repr(work)[:60],
                )
            threads = [
                threading.Thread(target=does, args=[sess], name=str(name))
                for name, does in work.items()
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return sorted(restaurant.served)

    return program, last


def serves_all(answer, count, room, needs=None, hint="", seeds=SEEDS):
    """Every schedule ends, with every order served once."""
    program, _ = evening(answer, count, room, needs)
    told = "".join(f", {one} needs {other}" for one, other in (needs or {}).items())
    in_every_schedule(
        program,
        list(range(count)),
        seeds,
        hint=hint,
        what=f"{count} orders, room for {room}{told}: what was served",
    )


@point("an evening without trouble: every order is served, once", 1)
def without_trouble(answer):
    serves_all(answer, 2, 2, seeds=FEW)
    serves_all(answer, 5, 2, seeds=FEW)


@point("what cannot be cooked yet is cooked after what it needs", 1)
def tried_again(answer):
    serves_all(answer, 2, 2, {0: 1}, seeds=FEW)


@point("no deadlock, in any schedule", 4)
def no_deadlock(answer):
    hint = (
        "for each one who waits: which thread could end that, and what does it wait for? (An order "
        "that is given up is never served. Between looking for room and putting something in, "
        "another thread may have put something in.)"
    )
    serves_all(answer, 5, 2, {0: 1}, hint)
    serves_all(answer, 14, 2, {0: 1, 4: 5, 8: 9}, hint, FEW)


@point("never more than room + 2 orders under way", 2)
def under_way(answer):
    for count, room, needs in ((10, 2, {}), (8, 3, {0: 1, 2: 3})):
        program, last = evening(answer, count, room, needs)

        def within(served, last=last, room=room, count=count):
            if last[0].most > room + 2:
                raise Wrong(
                    f"of {count} orders, too many were under way at one time, with room for {room}",
                    f"at most {room + 2}",
                    last[0].most,
                    hint="a longer line, or a list beside it, only puts the deadlock off: ask for "
                    "the next order when there is a place for it",
                )
            if served != list(range(count)):
                raise Wrong("not all were served", list(range(count)), served)

        in_every_schedule(program, within, FEW)
