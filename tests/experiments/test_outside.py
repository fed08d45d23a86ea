"""Experiments are not the product: the wheel is src/headcount alone, and nothing in it imports what stands beside."""

import ast
import tomllib
from pathlib import Path

import headcount

ROOT = Path(__file__).parents[2]
BESIDE = {"experiments", "benchmarks", "tests"}


def imported(source: str) -> set[str]:
    """Top-level packages that a module imports, at its head, inside functions, and by `import_module("...")`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module or "")
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            names |= {
                word.value for word in node.args if isinstance(word, ast.Constant) and isinstance(word.value, str)
            }
    return {name.partition(".")[0] for name in names}


def test_the_wheel_is_the_package_alone() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"] == {"packages": ["src/headcount"]}
    assert list(project["project"]["scripts"]) == ["headcount"]
    package = ROOT / "src" / "headcount"
    assert not [
        path for name in (*BESIDE, "reproduce") for path in (package / name, package / f"{name}.py") if path.exists()
    ]


def test_no_module_of_the_package_imports_what_stands_beside() -> None:
    """Neither the experiments nor the optima in hindsight that they look at: a release could depend on them."""
    modules = list(Path(headcount.__file__).parent.rglob("*.py"))
    assert modules
    assert [path for path in modules if imported(path.read_text()) & BESIDE] == []


def test_every_way_to_import_is_seen() -> None:
    assert imported("import experiments.best as best\nfrom tests import process") == {"experiments", "tests"}
    assert imported("def f():\n    from benchmarks.scale import run") == {"benchmarks"}
    assert imported('importlib.import_module("experiments.best")') == {"experiments"}
    assert imported("from . import experiments\nfrom headcount import tests") == {"headcount"}
