"""`%why_stuck`: what threads wait for, and who could end it; see `tinytf.why_stuck`."""

from __future__ import annotations

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import magic_arguments, parse_argstring

from tinytf.diagnosis.stuck import Why, why_stuck


@magics_class
class StuckMagics(Magics):
    """The magic."""

    @magic_arguments()
    @line_magic
    def why_stuck(self, line: str) -> Why:
        """Show which threads wait, what for, who could serve them, and what to type.

        Call it while a thread of yours waits, or after you have interrupted a cell: then it shows
        what that one waited for.
        """
        parse_argstring(self.why_stuck, line)  # it takes none, and says so
        return why_stuck()
