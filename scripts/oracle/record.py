"""Record the conformance cases under TensorFlow into tests/conformance/recorded/<family>.npz.

    python3 scripts/oracle/record.py              all families
    python3 scripts/oracle/record.py basics math  these families

`tests/conformance/__init__.py` says how to write a case. A family of which a case does not do
what it declares is reported and not written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.environment import continue_under_tensorflow

if __name__ == "__main__":
    continue_under_tensorflow()  # before anything is imported that only that environment has

from tests.conformance.comparing import complaints_about
from tests.conformance.encoding import write_file
from tests.conformance.registry import FOLDER, Case, cases_of, families
from tests.conformance.running import outcome_of


def record(tf: Any, cases: list[Case]) -> tuple[dict[str, Any], list[str]]:
    """The outcomes of the cases by name, and what is wrong with them."""
    config = tf.ConfigProto()
    # The graph as the case wrote it, without TensorFlow's rewriting: an error then comes from
    # the op that the case is about.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    outcomes, complaints = {}, []
    for case in cases:
        outcomes[case.name] = outcome = outcome_of(tf, case, config)
        complaints += [f"{case.id}: {text}" for text in complaints_about(case, outcome)]
        if "site-packages" in (outcome.get("error") or {}).get("message", ""):
            complaints.append(f"{case.id}: the message names files of this machine")
    for group in {case.group for case in cases}:
        variants = [case for case in cases if case.group == group and case.error is None]
        built = {name for case in variants for name in outcomes[case.name].get("op_types", ())}
        wanted = {name for case in variants for name in case.op_types}
        for name in sorted(wanted - built):
            complaints.append(f"{group}: declares {name}, but TensorFlow's graph has none of it")
    return outcomes, complaints


def main(names: list[str]) -> int:
    """Record the families named, or all; returns the exit status."""
    import tensorflow.compat.v1 as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.disable_v2_behavior()
    unknown = sorted(set(names) - set(families()))
    if unknown:
        raise SystemExit(f"No such family: {', '.join(unknown)}. There are {families()}.")
    failed = False
    for family in names or families():
        cases = cases_of(family)
        outcomes, complaints = record(tf, cases)
        for complaint in complaints:
            print(complaint, file=sys.stderr)
        if complaints:
            print(f"{family}: not written", file=sys.stderr)
            failed = True
            continue
        write_file(FOLDER / "recorded" / f"{family}.npz", outcomes)
        print(f"{family}: {len(cases)} cases")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
