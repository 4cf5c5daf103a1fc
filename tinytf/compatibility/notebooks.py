"""`tinytf run notebook.ipynb`: all cells, in a kernel of their own; the copy with their outputs."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tinytf.compatibility.programs import environment_of_run
from tinytf.framework.files import write_file

#: Run in the kernel before the first cell: what knows `%tensorflow_version`.
_FIRST = "get_ipython().run_line_magic('load_ext', 'tinytf')"
_MISSING = "Notebooks need Jupyter. Type:  pip install 'tinytf[course]'"


def run(notebook: str, arguments: Sequence[str] = (), digits: bool = False) -> int:
    """Run a notebook's cells in order, those after one that fails as well.

    The notebook itself stays as it is; the copy beside it, `NAME.executed.ipynb`, has the outputs.

    Args:
      notebook: its file. arguments: none, a notebook has no command line.
      digits: the course's digits stand in for MNIST's files.

    Returns:
      the exit code: 1 if a cell failed, which is told, unless it is tagged `raises-exception`.

    Example:
      >>> run("linear_regression.ipynb")  # doctest: +SKIP
      linear_regression.executed.ipynb: 12 cells of code, all ran.
      0
    """
    path = Path(notebook)
    if arguments:
        return _fail(f"a notebook takes no arguments, got {' '.join(arguments)}")
    try:
        content = _read(path)
    except ModuleNotFoundError as error:
        return _fail(f"{_MISSING} ({error})")
    except OSError as error:
        return _fail(f"cannot read {path}: {error.strerror}")
    except ValueError as error:
        return _fail(f"{path} is no notebook: {error}")
    target = path.with_name(f"{path.stem}.executed.ipynb")
    end = ""
    try:
        _execute(content, path.resolve().parent, environment_of_run(digits))
    except Exception as error:  # the kernel died, or there is none: what has run is kept
        end = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
    finally:
        _write(content, target)
    failures = list(failed_cells(content.cells))
    return _tell(target, content.cells, failures, end)


def failed_cells(cells: Sequence[Any]) -> Iterator[tuple[int, str, str]]:
    """The cells of code that failed: number, first line, what was raised.

    A cell tagged `raises-exception` is meant to.

    Example:
      >>> list(failed_cells(notebook.cells))  # doctest: +SKIP
      [(3, 'import tensorflow_hub', "ModuleNotFoundError: No module named 'tensorflow_hub'")]
    """
    for number, cell in enumerate(_code(cells), 1):
        if "raises-exception" in cell.metadata.get("tags", []):
            continue
        for output in cell.outputs:
            if output.output_type == "error":
                first = cell.source.strip().splitlines()[0]
                yield number, first, f"{output.ename}: {output.evalue}".splitlines()[0]
                break


def _code(cells: Sequence[Any]) -> list[Any]:
    return [cell for cell in cells if cell.cell_type == "code" and cell.source.strip()]


def _read(path: Path) -> Any:
    import nbclient  # noqa: F401  # asked for before anything is done
    import nbformat

    text = path.read_text(encoding="utf-8")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old notebooks: cells without names
            return nbformat.reads(text, as_version=4)
    except Exception as error:  # nbformat's errors share no class
        raise ValueError(str(error).splitlines()[0]) from None


def _execute(content: Any, folder: Path, environment: dict[str, str]) -> None:
    from nbclient import NotebookClient
    from traitlets.config import Config

    client: Any = NotebookClient(
        content,
        timeout=None,
        # Its own kernel may be Python 2's, or one that is not here.
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
        # As `tinytf lab` does: a kernel that can be overheard says so.
        config=Config(AsyncKernelManager={"transport_encryption": "auto"}),
        on_notebook_start=lambda notebook: client.kc.execute(_FIRST, silent=True),
    )
    client.execute(env=environment)


def _write(content: Any, target: Path) -> None:
    import nbformat

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = nbformat.writes(content)
    write_file(target, text.encode())


def _tell(
    target: Path, cells: Sequence[Any], failures: list[tuple[int, str, str]], end: str
) -> int:
    found = _code(cells)
    said = "all ran" if not failures else f"{len(failures)} failed"
    if end:
        last = sum(cell.execution_count is not None for cell in found)
        said = f"stopped after cell {last}: {end}"
    print(f"{target}: {len(found)} cells of code, {said}.")
    for number, first, error in failures:
        print(f"  cell {number}  {first[:60]}\n      {error}")
    return 1 if failures or end else 0


def _fail(text: str) -> int:
    print(f"tinytf run: {text}", file=sys.stderr)
    return 1
