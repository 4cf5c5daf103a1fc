"""Large tensors to a server and back: `python -m benchmarks.transfers`.

A feed and a fetch of 4 MB and of 64 MB through a session on a server in another process, beside a
plain unary call of grpcio that moves the same bytes, and beside a real TensorFlow. They take turns;
a tensor must move with at least BAR of the throughput of the plain call (exit code 1 otherwise).
"""

import sys

from benchmarks import wire
from benchmarks.load import load

BAR = 0.60
MEGABYTE = 1_000_000
TURNS = {4: 15, 64: 7}


def main() -> int:
    """Measure and print."""
    wire.go_inside("benchmarks.transfers")
    names, missed = wire.kinds(), []
    print("megabytes a second, of the shortest call (of plain grpcio's); then of the median turn.")
    print(f"Load of the machine: {load()}")
    print(f"{'':18}" + "".join(f"{name:>20}" for name in names))
    with wire.clients(names) as clients:
        for size, count in TURNS.items():
            for what in ("feed", "fetch"):
                found = wire.turns(clients, what, size * MEGABYTE, count, times=3)
                plain = found["plain"]
                for name, index in ((f"{what} of {size} MB", 0), ("  median", 1)):
                    cells = [
                        f"{size / taken[index]:,.0f} ({plain[index] / taken[index]:>4.0%})"
                        for taken in found.values()
                    ]
                    print(f"{name:18}" + "".join(f"{cell:>20}" for cell in cells))
                if plain.shortest / found["tinytf"].shortest < BAR:
                    missed.append(f"{what} of {size} MB")
    print(f"bar {BAR:.0%}: " + (f"missed by {', '.join(missed)}" if missed else "kept"))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
