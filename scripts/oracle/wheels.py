"""What the modules in a wheel define, read from their syntax: nothing is imported or run."""

from __future__ import annotations

import ast
import functools
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Found(NamedTuple):
    """What a name stands for: its kind, and the place of its definition."""

    kind: str
    module: str
    name: str


class Wheels:
    """The modules of some wheels, by their dotted names."""

    def __init__(self, files: list[Path]) -> None:
        self._sources: dict[str, tuple[zipfile.ZipFile, str]] = {}
        self._trees: dict[str, ast.Module] = {}
        self._bindings: dict[str, dict[str, ast.AST | tuple[str, str]]] = {}
        for file in files:
            archive = zipfile.ZipFile(file)
            paths = archive.namelist()
            # 1.15: the modules are in tensorflow_core, and `tensorflow` forwards to it.
            forwards = any(path.startswith("tensorflow_core/") for path in paths)
            for path in paths:
                inside = re.sub(r"^[^/]*\.data/(purelib|platlib)/", "", path)
                if not inside.endswith(".py") or "/include/" in inside:
                    continue
                if forwards and inside == "tensorflow/__init__.py":
                    continue
                name = inside.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                name = re.sub(r"^tensorflow_core\b", "tensorflow", name)
                self._sources[name] = (archive, path)

    def __contains__(self, module: str) -> bool:
        return module in self._sources

    def below(self, package: str) -> list[str]:
        """The packages and modules directly in a package."""
        depth = package.count(".") + 1
        inside = [name for name in self._sources if name.startswith(package + ".")]
        return sorted(name for name in inside if name.count(".") == depth)

    def is_package(self, module: str) -> bool:
        """Whether the module is a folder's."""
        return module in self and self._sources[module][1].endswith("/__init__.py")

    def tree(self, module: str) -> ast.Module:
        """The module's syntax."""
        if module not in self._trees:
            archive, path = self._sources[module]
            text = archive.read(path).decode()
            # `async` is a word since Python 3.7.
            self._trees[module] = ast.parse(re.sub(r"\basync\b", "async_", text))
        return self._trees[module]

    def bindings(self, module: str) -> dict[str, ast.AST | tuple[str, str]]:
        """Each name of the module -> its definition, or (module, name) where it is imported from.

        An imported module has the name "".
        """
        if module in self._bindings:  # perhaps half read: modules import each other
            return self._bindings[module]
        bound: dict[str, ast.AST | tuple[str, str]] = {}
        self._bindings[module] = bound
        for statement in _statements(self.tree(module).body):
            match statement:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    bound[name] = statement
                case ast.Assign(targets=targets):
                    for target in targets:
                        if isinstance(target, ast.Name):
                            bound[target.id] = statement.value
                case ast.Delete(targets=targets):
                    for target in targets:
                        if isinstance(target, ast.Name):
                            bound.pop(target.id, None)
                case ast.Import(names=names):
                    for name in names:
                        whole = name.name if name.asname else name.name.split(".")[0]
                        bound[name.asname or whole] = (whole, "")
                case ast.ImportFrom():
                    bound.update(self._imported(module, statement))
        return bound

    def _imported(self, module: str, statement: ast.ImportFrom) -> dict[str, tuple[str, str]]:
        source = statement.module or ""
        if statement.level:
            parts = module.split(".")
            dropped = statement.level - self.is_package(module)
            source = ".".join(parts[: len(parts) - dropped] + ([source] if source else []))
        bound = {}
        for name in statement.names:
            if name.name == "*":
                bound.update({shown: (source, shown) for shown in self.shown(source)})
            else:
                bound[name.asname or name.name] = (source, name.name)
        return bound

    def picked(self, module: str) -> set[str]:
        """The names that a module imports one by one."""
        found = _statements(self.tree(module).body)
        froms = [node for node in found if isinstance(node, ast.ImportFrom)]
        return {name.asname or name.name for node in froms for name in node.names}

    def shown(self, module: str) -> list[str]:
        """What `from module import *` brings."""
        if module not in self:
            return []
        bound = self.bindings(module)
        listed = bound.get("__all__")
        if isinstance(listed, ast.List | ast.Tuple):
            return [text for text in _texts(listed) if text in bound]
        future = {"absolute_import", "division", "print_function", "unicode_literals"}
        return [name for name in list(bound) if not name.startswith("_") and name not in future]

    def find(self, module: str, name: str, depth: int = 0) -> Found:
        """What a name of a module is in the end."""
        if depth > 30:
            return Found("constant", module, name)
        if module not in self:
            return Found(_kind_by_name(name) if name else "module", module, name)
        node = self.bindings(module).get(name) if name else None
        if node is None:
            inside = f"{module}.{name}" if name else module
            if inside in self:
                return Found("module", inside, "")
            return Found("unknown", module, name)
        if node == (module, name):  # `from package import a_module_of_it`, in the package itself
            return Found("module", f"{module}.{name}", "")
        if isinstance(node, tuple):
            return self.find(*node, depth=depth + 1)
        return self._defined(module, name, node, depth)

    def _defined(self, module: str, name: str, node: ast.AST, depth: int) -> Found:
        here = functools.partial(Found, module=module, name=name)
        match node:
            case ast.FunctionDef() | ast.Lambda():
                return here("function")
            case ast.ClassDef():
                return here("class")
            case ast.Name(id=other) if other in self.bindings(module):
                return self.find(module, other, depth + 1)
            case ast.Attribute(value=ast.Name(id=base), attr=attribute):
                found = self.find(module, base, depth + 1)
                if found.kind == "module":
                    return self.find(found.module, attribute, depth + 1)
                return here(_kind_by_name(name))
            case ast.Call(func=ast.Call(func=inner), args=[argument]) if _called(inner) in (
                "tf_export",
                "estimator_export",
                "keras_export",
            ):
                return self._defined(module, name, argument, depth + 1)
            case ast.Call(func=loader, args=[_, _, ast.Constant(value=str(whole)), *_]) if (
                _called(loader) == "LazyLoader"
            ):
                return Found("module", whole, "")
            case ast.Call(func=function):
                return here(_made_by(_called(function), name))
        return here("constant")

    def documented(self, module: str) -> list[str] | None:
        """The names that a module of tf.contrib keeps for its users; None if it keeps all."""
        calls = [node for node in ast.walk(self.tree(module)) if isinstance(node, ast.Call)]
        sealing = [call for call in calls if _called(call.func) == "remove_undocumented"]
        if not sealing:
            return None
        kept: set[str] = set()
        described = [module]
        for call in sealing:
            for value in [*call.args[1:], *(keyword.value for keyword in call.keywords)]:
                names = [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]
                found = [self.find(module, name) for name in names]
                described += [place.module for place in found if place.kind == "module"]
                kept.update(self._listed(module, value))
        for place in described:
            if place in self:
                kept.update(re.findall(r"@@(\w+)", ast.get_docstring(self.tree(place)) or ""))
        return [name for name in self.bindings(module) if name in kept]

    def _listed(self, module: str, value: ast.AST) -> Iterator[str]:
        """The texts of a list, of the lists that it names, and of what is added to these."""
        yield from _texts(value)
        names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        for statement in _statements(self.tree(module).body):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=added) if name in names:
                    yield from _texts(added)
                case ast.AugAssign(target=ast.Name(id=name), value=added) if name in names:
                    yield from _texts(added)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module, those of its conditions and attempts included."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try):
            yield from _statements(statement.body)
            yield from _statements(statement.orelse)
            for handler in getattr(statement, "handlers", []):
                yield from _statements(handler.body)


def _texts(value: ast.AST) -> list[str]:
    nodes = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
    return [text for text in nodes if isinstance(text, str)]


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _kind_by_name(name: str) -> str:
    if name.isupper() or name.startswith("__"):
        return "constant"
    shouted = len(name.split("_")[0]) > 1 and name.split("_")[0].isupper()  # DEFINE_string
    return "class" if name[:1].isupper() and not shouted else "function"


def _made_by(function: str, name: str) -> str:
    """The kind of what a call makes, by what is called."""
    if function in ("GeneratedProtocolMessageType", "namedtuple", "EnumTypeWrapper"):
        return "class"
    return "constant" if function[:1].isupper() else _kind_by_name(name)  # an object of a class
