"""`python -m tinytf`: the `tinytf` command."""

import sys

from tinytf.cli import main

if __name__ == "__main__":
    sys.exit(main())
