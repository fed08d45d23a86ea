"""The digest of source files: of what they do, not of their comments, docstrings and signatures' types."""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Set
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TYPES = ("annotation", "returns", "type_comment")
"""Fields of a signature that do nothing when it runs."""


def files(patterns: Iterable[str], root: Path = ROOT) -> list[Path]:
    """Files that match one of the patterns, in the order of their paths."""
    return sorted({path for pattern in patterns for path in _matches(pattern, root)})


def _matches(pattern: str, root: Path) -> Iterator[Path]:
    return (path for path in root.glob(pattern.partition("::")[0]) if path.is_file())


def digest(patterns: Iterable[str], root: Path = ROOT) -> str:
    """The digest of everything that matches: files, or in `file.py::one,other` these definitions alone."""
    parts = {_part(path, pattern.partition("::")[2], root) for pattern in patterns for path in _matches(pattern, root)}
    return hashlib.sha256("\0".join(sorted(parts)).encode()).hexdigest()[:16]


def _part(path: Path, names: str, root: Path) -> str:
    """A path with the digest of its content."""
    state = path.stat()
    return f"{path.relative_to(root).as_posix()}\0{_content(path, names, (state.st_mtime_ns, state.st_size))}"


@cache
def _content(path: Path, names: str, state: tuple[int, int]) -> str:
    """The digest of the syntax tree of Python, or of the text of everything else; once while the file is the same."""
    text = path.read_text()
    content = syntax(text, frozenset(names.split(",")) - {""}) if path.suffix == ".py" else text
    return hashlib.sha256(content.encode()).hexdigest()


def syntax(text: str, names: Set[str] = frozenset()) -> str:
    """The syntax tree of a module without docstrings, or of definitions of it: the same on all versions of Python."""
    module = ast.parse(text)
    found = [node for node in module.body if not names or names & defined(node)]
    if missing := names - {name for node in found for name in defined(node)}:
        raise LookupError(f"no definition of {', '.join(sorted(missing))}")
    return repr(_shape(found))


def defined(node: ast.stmt) -> set[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


def _shape(node: object) -> object:
    """A node as tuples, without positions and empty fields, which differ between versions."""
    if isinstance(node, ast.AST):
        types = TYPES if isinstance(node, ast.arg | ast.FunctionDef) else ()
        fields = ((name, _shape(value)) for name, value in ast.iter_fields(node) if name not in types)
        return type(node).__name__, *((name, shape) for name, shape in fields if shape not in (None, []))
    if isinstance(node, list):
        return [_shape(each) for each in node if not _is_docstring(each)]
    return node


def _is_docstring(node: object) -> bool:
    """True for a text that stands alone: below a definition, or below a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
