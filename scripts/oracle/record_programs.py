"""Record what TensorFlow prints for the programs in tests/programs and tests/seeds.

    python3 scripts/oracle/record_programs.py                   all of them
    python3 scripts/oracle/record_programs.py seeds             those of tests/seeds
    python3 scripts/oracle/record_programs.py layers data/files  a folder, a program

With --print, the texts go to stdout instead, as the tests want them from a live TensorFlow.
TensorFlow's servers listen on all interfaces, so all runs in a network of its own (needs root).
"""

from __future__ import annotations

import builtins
import functools
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.environment import continue_in_own_network, continue_under_tensorflow

if __name__ == "__main__":
    continue_in_own_network()
    continue_under_tensorflow()

from tests.programs.running import PROGRAMS, SEEDS, names, printed, programs, recorded

#: What programs import that 2.15.1 has in another way: as it is under `tensorflow.compat.v1`.
V1 = (["tensorflow"], ["tensorflow", "contrib"], ["tensorflow", "keras"])


def importer(tf: Any) -> Any:
    """An `import` that gives TensorFlow 1's names, graph mode, and what moved out of tf.contrib."""
    from tests.oracle.moved import contrib

    tf.contrib = contrib(tf)

    def import_(
        name: str, globals_: Any = None, locals_: Any = None, wanted: Any = (), level: int = 0
    ) -> Any:
        if name.split(".")[:2] not in V1:
            return builtins.__import__(name, globals_, locals_, wanted, level)
        inner = name.split(".")[1:] if wanted else []
        return functools.reduce(getattr, inner, tf)

    return import_


def record(wanted: list[Path]) -> tuple[dict[str, dict[str, str]], int]:
    """Kind -> program -> text, and the number of those that failed."""
    # Programs fetch a loss beside the step that changes its variables: which comes first is up to
    # the threads. With one it is the same each time.
    os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")
    import tensorflow.compat.v1 as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.disable_v2_behavior()
    import_ = importer(tf)
    found: dict[str, dict[str, str]] = {}
    failed = 0
    for program in wanted:
        tf.reset_default_graph()
        start = time.monotonic()
        try:
            text = printed(program, import_)
        except Exception:
            print(f"{program.parent.name}/{program.stem}", file=sys.stderr)
            traceback.print_exc()
            failed += 1
            continue
        if (seconds := time.monotonic() - start) > 2:
            print(f"{program.parent.name}/{program.stem}: {seconds:.1f} s", file=sys.stderr)
        found.setdefault(program.parent.name, {})[program.stem] = text
    return found, failed


def main(arguments: list[str]) -> int:
    """Record; the status is 1 if a program failed."""
    asked = {name for name in arguments if not name.startswith("-")}
    wanted = [
        path
        for root in (PROGRAMS, SEEDS)
        for path in programs(root)
        if not asked or asked & {root.name, path.parent.name, f"{path.parent.name}/{path.stem}"}
    ]
    found, failed = record(wanted)
    if "--print" in arguments:
        print(json.dumps(found))
        return 1 if failed else 0
    for root in (PROGRAMS, SEEDS):
        before = recorded(root)
        for kind, there in names(root).items():
            texts = {**before.get(kind, {}), **found.get(kind, {})}
            kept = {name: texts[name] for name in there if name in texts}
            path = root / "recorded" / f"{kind}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    print(f"{sum(map(len, found.values()))} programs recorded, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
