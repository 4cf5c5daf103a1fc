"""`%smi`: the GPUs that this notebook sees, their memory, and the programs on them."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from tinytf.devices.report import Report, gpus


@magics_class
class SmiMagics(Magics):
    """The magic."""

    def __init__(self, shell: Any):
        super().__init__(shell)
        shell.set_hook("complete_command", _complete, str_key="%smi")

    @magic_arguments()
    @argument("--machine", metavar="NAME", help="a simulated machine (default: this notebook's)")
    @argument("--json", action="store_true", help="print it for programs")
    @line_magic
    def smi(self, line: str) -> Report | None:
        """Show the GPUs, how much of their memory is taken, and by which programs.

        What is simulated says so. A program keeps what it has taken until its process ends.
        """
        options = parse_argstring(self.smi, line)
        try:
            found = gpus(options.machine)
        except ValueError as error:
            raise UsageError(str(error)) from None
        if options.json:
            print(found.as_json())
            return None
        return found


def _complete(shell: Any, event: Any) -> list[str]:
    """Completions after "%smi "."""
    return ["--json", "--machine"]
