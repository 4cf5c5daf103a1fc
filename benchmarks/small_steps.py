"""What a step costs that does next to nothing: `python -m benchmarks.small_steps`.

A fetch of a constant through a session on a server in another process, beside an empty unary call
of grpcio, and beside a real TensorFlow. They take turns; the step may take at most BAR of the empty
call's time (exit code 1 otherwise).
"""

import sys

from benchmarks import wire
from benchmarks.load import load

BAR = 1.30
TURNS, TIMES = 40, 50


def main() -> int:
    """Measure and print."""
    wire.go_inside("benchmarks.small_steps")
    names = wire.kinds()
    print(f"microseconds: the shortest call, the median of {TURNS} turns; load {load()}")
    with wire.clients(names) as clients:
        found = wire.turns(clients, "step", 0, TURNS, TIMES)
    plain = found["plain"]
    for kind, taken in found.items():
        what = "empty unary call of grpcio" if kind == "plain" else f"RunStep of {kind}"
        cells = [f"{t * 1e6:>8,.0f} {t / p:>6.0%}" for t, p in zip(taken, plain, strict=True)]
        print(f"{what:30}" + "".join(cells))
    kept = found["tinytf"].shortest <= BAR * plain.shortest
    print(f"bar {BAR:.0%}: {'kept' if kept else 'missed'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
