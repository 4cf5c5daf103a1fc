"""Python runs this when it starts in the environment of `tinytf run`, in child processes as well.

It stands in a folder of its own, which PYTHONPATH names there: nothing that is installed changes.
A `sitecustomize` that is installed would now go unnoticed, so it is run from here.
"""

import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def install_hook() -> None:
    """Load the hook by its path: tinytf itself is imported when the program asks for it."""
    folder = os.path.join(os.path.dirname(HERE), "hook")
    file = os.path.join(folder, "__init__.py")
    name = "_tinytf_hook"
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[folder])
    if spec is not None and spec.loader is not None:
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        sys.modules[name].install()


def run_installed() -> None:
    """Run the `sitecustomize` that Python would have found without this one."""
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.path[:] = [entry for entry in sys.path if entry != HERE]
# A program may start one of an older Python, which could not read the hook.
if sys.version_info >= (3, 11) and os.environ.get("TINYTF_AS_TENSORFLOW") == "on":
    install_hook()
run_installed()
