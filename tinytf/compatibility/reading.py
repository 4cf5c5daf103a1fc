"""What a program asks TensorFlow and numpy for, read from its syntax: nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tinytf.compatibility import python_2

#: Modules whose names are followed; what TensorFlow's are called here is of no matter.
_ROOTS = ("tensorflow", "numpy")


class Use(NamedTuple):
    """A place where a name is used.

    Attributes:
      path: "tensorflow.train.Saver"; of what is Python 2's or another package, that name.
      line: where. keywords: of a call, the names of its arguments.
      kind: "name", "package" of an import, or "python 2".
    """

    path: str
    line: int
    keywords: tuple[str, ...] = ()
    kind: str = "name"


class Reader(ast.NodeVisitor):
    """Follows names through a program: imports, aliases (`layers = tf.layers`), attributes.

    Bodies of functions are read after what stands around them, as that is how they see it.
    A notebook's cells are given one after the other.
    """

    def __init__(self) -> None:
        self.uses: list[Use] = []
        # Pieces of programs leave out the lines in which everybody imports these.
        self._scopes: list[dict[str, str | None]] = [{"tf": "tensorflow", "np": "numpy"}]
        self._later: list[Callable[[], None]] = []

    def read(self, tree: ast.Module) -> None:
        """Add what a module, or a cell, uses."""
        self.visit(tree)
        while self._later:
            self._later.pop(0)()

    def visit(self, node: ast.AST) -> None:
        handler = getattr(self, f"_{type(node).__name__.lower()}", self.generic_visit)
        handler(node)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            package = alias.name.split(".")[0]
            self._use_module(alias.name, node.lineno)
            self._bind(alias.asname or package, alias.name if alias.asname else package)

    def _importfrom(self, node: ast.ImportFrom) -> None:
        if node.level or not node.module or node.module == "__future__":
            return
        if node.module.split(".")[0] not in _ROOTS:
            self._use_module(node.module, node.lineno)
        for alias in node.names:
            path = f"{node.module}.{alias.name}"
            if alias.name != "*":
                self._bind(alias.asname or alias.name, path)
            if node.module.split(".")[0] in _ROOTS:
                self._use(path, node.lineno)

    def _attribute(self, node: ast.Attribute) -> None:
        path = self.path_of(node)
        if path is None:
            if node.attr in python_2.METHODS:
                self.uses.append(Use(node.attr, node.lineno, kind="python 2"))
            self.visit(node.value)
        elif isinstance(node.ctx, ast.Load):
            self._use(path, node.lineno)

    def _name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, None)
            return
        if any(node.id in scope for scope in self._scopes):
            path = self.path_of(node)
            if path is not None and "." in path:
                self._use(path, node.lineno)
        elif node.id in python_2.NAMES:
            self.uses.append(Use(node.id, node.lineno, kind="python 2"))

    def _call(self, node: ast.Call) -> None:
        path = self.path_of(node.func)
        if path is None:
            self.visit(node.func)
        else:
            keywords = tuple(one.arg for one in node.keywords if one.arg)
            self._use(path, node.func.lineno, keywords)
        for child in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.visit(child)

    def _assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        path = self.path_of(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._bind(target.id, path)
            else:
                self.visit(target)

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for outside in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
            if outside is not None:
                self.visit(outside)
        self._bind(node.name, None)
        self._read_later(node.args, node.body)

    def _asyncfunctiondef(self, node: ast.AsyncFunctionDef) -> None:
        self._functiondef(node)

    def _lambda(self, node: ast.Lambda) -> None:
        for outside in [*node.args.defaults, *node.args.kw_defaults]:
            if outside is not None:
                self.visit(outside)
        self._read_later(node.args, [node.body])

    def _classdef(self, node: ast.ClassDef) -> None:
        for outside in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(outside)
        self._bind(node.name, None)
        with self._scope({}):
            for child in node.body:
                self.visit(child)

    def _excepthandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name, None)
        self.generic_visit(node)

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> None:
        with self._scope({}):
            for part in node.generators:  # they bind what the element uses
                self.visit(part)
            self.visit(node.elt)

    _listcomp = _setcomp = _generatorexp = _visit_comprehension

    def _dictcomp(self, node: ast.DictComp) -> None:
        with self._scope({}):
            for part in node.generators:
                self.visit(part)
            self.visit(node.key)
            self.visit(node.value)

    def path_of(self, node: ast.AST) -> str | None:
        """What a name or an attribute of one stands for: "tensorflow.nn.relu"."""
        if isinstance(node, ast.Name):
            for scope in reversed(self._scopes):
                if node.id in scope:
                    return scope[node.id]
            return None
        if isinstance(node, ast.Attribute):
            base = self.path_of(node.value)
            return f"{base}.{node.attr}" if base else None
        return None

    def _read_later(self, arguments: ast.arguments, body: list[ast.stmt] | list[ast.expr]) -> None:
        scopes = list(self._scopes)
        names: dict[str, str | None] = {
            one.arg: None
            for one in [
                *arguments.posonlyargs,
                *arguments.args,
                *arguments.kwonlyargs,
                *filter(None, [arguments.vararg, arguments.kwarg]),
            ]
        }

        def read() -> None:
            before, self._scopes = self._scopes, scopes
            with self._scope(names):
                for child in body:
                    self.visit(child)
            self._scopes = before

        self._later.append(read)

    @contextmanager
    def _scope(self, names: dict[str, str | None]) -> Iterator[None]:
        self._scopes = [*self._scopes, names]
        yield
        self._scopes = self._scopes[:-1]

    def _bind(self, name: str, path: str | None) -> None:
        self._scopes[-1][name] = path if path and path.split(".")[0] in _ROOTS else None

    def _use(self, path: str, line: int, keywords: tuple[str, ...] = ()) -> None:
        self.uses.append(Use(path, line, keywords))

    def _use_module(self, name: str, line: int) -> None:
        kind = "name" if name.split(".")[0] in _ROOTS else "package"
        self.uses.append(Use(name, line, kind=kind))
