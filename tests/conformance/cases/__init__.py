"""Conformance cases by family. `tests/conformance/__init__.py` says how to add one."""
