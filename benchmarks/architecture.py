"""How the package is built, in figures: its import graph, what a histogram goes through, where it branches on jobs.

    python -m benchmarks.architecture [SRC]      SRC has the package; by default src, of another version another folder

A *room* is a top-level folder, or module, of the package; it stands one floor above all rooms that it imports, and
rooms in a circle share a floor. Imports count anywhere in a file: inside functions, for types alone, and by
`import_module("...")`. That a module's folder is imported with it does not count. *Executed*: a function of the file is
called by a default histogram of a small table. *Tests of the job*: lines outside jobs/ that compare a `job` or a
`view`, look something up by it, take it for true, or ask for the class of a job or of a job's release. *Lines of code*:
neither blank, nor comment, nor docstring.
"""

import ast
import os
import re
import subprocess
import sys
import time
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from functools import cache
from pathlib import Path

SRC = Path(__file__).parents[1] / "src"
PACKAGE = "headcount"
PARAMETER = "debias"
"""A parameter of the histogram, and a word that means nothing else: how many places it takes to add one."""
RUNS = 3
HOMES = ("job", "jobs", "release")
"""Rooms that define what is of one job alone."""
Graph = Mapping[str, Set[str]]
"""What each module, or room, imports."""

EXECUTED = """
import sys, threading
import headcount as hc
function, table, files = hc.histogram, hc.example(people=300), set()
def called(frame, event, argument):
    if event == "call" and frame.f_code.co_flags & 1:  # of a function: neither a module nor the body of a class
        files.add(frame.f_code.co_filename)
threading.setprofile(called)
sys.setprofile(called)
function(table, user="user", by="song", epsilon=1)
sys.setprofile(None)
print(*files, sep="\\n")
"""
IMPORT = """
import time
started = time.process_time()
import headcount
print(time.process_time() - started)
"""
COMMAND = "import sys; sys.argv[0] = 'headcount'; from headcount.cli import main; main()"


# imports


def modules(src: Path) -> dict[str, Path]:
    """The files of the package, by the names that they are imported by."""
    return {_name(path.relative_to(src)): path for path in sorted((src / PACKAGE).rglob("*.py"))}


def _name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(source: str, known: Set[str] = frozenset(), folder: str = "") -> set[str]:
    """What a file of a folder imports, of any package: of `from a import b` it is a.b if that is a known module, else
    a; of a name that is put together, `import_module(f"a.b.{c}")`, all known modules that it may be."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            home = _absolute("." * node.level + (node.module or ""), folder)
            names |= {each if (each := f"{home}.{alias.name}") in known else home for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            names |= {name for argument in node.args[:1] for name in _named(argument, known, folder)}
    return names


def _absolute(name: str, folder: str) -> str:
    """A name that may begin with dots, as seen from a folder."""
    plain = name.lstrip(".")
    if plain == name:
        return name
    parts = folder.split(".")
    return ".".join([*parts[: len(parts) + 1 - (len(name) - len(plain))], *([plain] if plain else [])])


def _named(argument: ast.expr, known: Set[str], folder: str) -> set[str]:
    """The modules that a text stands for: itself; or, if only its beginning is written there, all below that folder.
    Those of the package itself are left out: its public names are all imported for types."""
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return {_absolute(argument.value, folder)}
    if not isinstance(argument, ast.JoinedStr) or not isinstance(first := argument.values[0], ast.Constant):
        return set()
    text = str(first.value)
    home = _absolute(text.rpartition(".")[0] if text.strip(".") else text, folder)
    return {name for name in known if name.startswith(f"{home}.") and home != PACKAGE}


def of_files(src: Path) -> Graph:
    """The modules of the package that each of its files imports."""
    files = modules(src)
    return {
        name: (imported(path.read_text(), files.keys(), _folder(name, path)) & files.keys()) - {name}
        for name, path in files.items()
    }


def _folder(name: str, path: Path) -> str:
    return name if path.stem == "__init__" else name.rpartition(".")[0]


def room(module: str) -> str:
    """The room of a module; the package's own `__init__.py` is one too."""
    return module.split(".")[1] if "." in module else "__init__"


def of_rooms(files: Graph) -> Graph:
    """What each room imports of the others."""
    graph: dict[str, set[str]] = defaultdict(set)
    for module, imported in files.items():
        graph[room(module)] |= {room(each) for each in imported} - {room(module)}
    return dict(graph)


def circles(graph: Graph) -> list[list[str]]:
    """Those that import each other, directly or not; each of them in one circle."""
    reached = {name: _reached(graph, name) for name in graph}
    found = {name: frozenset(each for each in reached[name] if name in reached[each]) for name in graph}
    return sorted(map(sorted, {circle for name, circle in found.items() if name in reached[name]}))


def _reached(graph: Graph, start: str) -> set[str]:
    reached: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        if (name := waiting.pop()) not in reached:
            reached.add(name)
            waiting += graph[name]
    return reached


def floors(graph: Graph) -> dict[str, int]:
    """The floor of each room: 1 for those that import none."""
    together = {name: frozenset(circle) for circle in circles(graph) for name in circle}

    @cache
    def floor(name: str) -> int:
        circle = together.get(name, frozenset([name]))
        below = set().union(*(graph[each] for each in circle)) - circle
        return 1 + max(map(floor, below), default=0)

    return {name: floor(name) for name in graph}


# jobs


def told_apart(src: Path) -> Iterator[str]:
    """The lines outside jobs/ that test which job it is, as file:line."""
    kinds = _kinds(src)
    for name, path in modules(src).items():
        if room(name) != "jobs":
            tree = ast.parse(path.read_text())
            known = _known(name, tree, kinds)
            nodes = (node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt))
            lines = {node.lineno for node in nodes if _distinguishes(node) or _asks(node, known)}
            yield from (f"{path.relative_to(src / PACKAGE)}:{line}" for line in sorted(lines))


def _distinguishes(node: ast.AST) -> bool:
    """`job == ...`, `about.view in ...`, `match about.view`, `TABLE[job.name]`, `.get(about.view)`, `not view`."""
    return any(re.search(r"(^|\.)(job|view)(\.name)?$", ast.unparse(each)) for each in _distinguished(node))


def _distinguished(node: ast.AST) -> list[ast.expr]:
    """Expressions whose value an expression or a statement compares, looks up in a table or takes for true."""
    match node:
        case ast.Compare(left, [ast.Eq() | ast.NotEq(), *_], others):
            return [left, *others]
        case ast.Compare(left, [ast.In() | ast.NotIn(), *_]):
            return [left]
        case ast.Match(subject=value) | ast.Subscript(slice=value, ctx=ast.Load()) | ast.UnaryOp(ast.Not(), value):
            return [value]
        case ast.Call(ast.Attribute(attr="get"), [value, *_]) | ast.If(value) | ast.IfExp(value):
            return [value]
        case ast.BoolOp(values=values):
            return values
    return []


def _kinds(src: Path) -> set[str]:
    """The classes of jobs, and of releases that a job has for itself."""
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for name, path in modules(src).items()
        if room(name) in HOMES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    kinds = {"Job", "Release"}
    while more := {name for name, of in bases.items() if of & kinds} - kinds:
        kinds |= more
    return kinds - {"Job", "Release"}


def _known(name: str, tree: ast.Module, kinds: set[str]) -> set[str]:
    """What a file calls those of these classes that it imports, or has."""
    known = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and room(name) in HOMES} & kinds
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and room(node.module or "") in HOMES:
            known |= {alias.asname or alias.name for alias in node.names if alias.name in kinds}
    return known


def _asks(node: ast.AST, kinds: set[str]) -> bool:
    """`isinstance(..., Histogram)`."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"):
        return False
    return any(isinstance(each, ast.Name) and each.id in kinds for each in ast.walk(node.args[1]))


def indices(src: Path, parameter: str = PARAMETER) -> list[str]:
    """Where a public parameter stands outside of mechanisms and the account, as file:line."""
    if parameter not in _parameters(src):
        raise ValueError(f"{parameter}: no job has such a parameter; PARAMETER must be one of them")
    return [
        f"{path.relative_to(src / PACKAGE)}:{number}"
        for name, path in modules(src).items()
        if room(name) not in ("mechanism", "account")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(rf"\b{parameter}\b", line)
    ]


def _parameters(src: Path) -> set[str]:
    """The parameters of all public functions of jobs."""
    trees = [ast.parse(path.read_text()) for name, path in modules(src).items() if room(name) == "jobs"]
    functions = [node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)]
    public = [each for each in functions if "job_function" in map(ast.unparse, each.decorator_list)]
    return {argument.arg for function in public for argument in function.args.kwonlyargs}


# size and time


def code_lines(path: Path) -> int:
    """Lines that are neither blank, nor comment, nor docstring."""
    tree, lines = ast.parse(path.read_text()), set[int]()
    told = {
        number
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    empty = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type not in empty:
                lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - told)


def executed(src: Path) -> list[str]:
    """The files whose functions a default histogram calls."""
    return sorted(file for file in _run(src, EXECUTED).splitlines() if Path(file).is_relative_to(src / PACKAGE))


def import_seconds(src: Path) -> float:
    """CPU time of the import alone: the least of some runs."""
    return min(float(_run(src, IMPORT)) for _ in range(RUNS))


def command_seconds(src: Path, option: str) -> tuple[float, float]:
    """Time and CPU time of the command line from its start to its end: the least of some runs."""
    several = []
    for _ in range(RUNS):
        wall, before = time.perf_counter(), os.times()
        _run(src, COMMAND, option)
        wall, after = time.perf_counter() - wall, os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        several.append((wall, cpu))
    walls, cpus = zip(*several, strict=True)
    return min(walls), min(cpus)


def _run(src: Path, code: str, *arguments: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(src), "PYTHONDONTWRITEBYTECODE": ""}  # bytecode is kept, as installed
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=env, cwd=src).stdout


def figures(src: Path) -> Iterator[tuple[str, str]]:
    """All of them, by name."""
    files, paths = of_files(src), list(modules(src).values())
    rooms = of_rooms(files)
    apart, found = list(told_apart(src)), indices(src)
    yield "rooms", f"{len(rooms)}"
    yield "floors", f"{max(floors(rooms).values())}"
    yield "import circles between rooms", f"{len(circles(rooms))}"
    yield "import circles between files", f"{len(circles(files))}"
    yield "files", f"{len(paths)}"
    yield "files that a default histogram executes", f"{len(executed(src))}"
    yield "lines that test which job it is", f"{len(apart)}, in {_files(apart)} files"
    yield f"places of {PARAMETER}", f"{len(found)}, in {_files(found)} files"
    yield "lines of the wheel", f"{sum(len(path.read_text().splitlines()) for path in paths):,}"
    yield "lines of code of the wheel", f"{sum(map(code_lines, paths)):,}"
    yield "import headcount, CPU seconds", f"{import_seconds(src):.3f}"
    for option in ("--version", "--help"):
        wall, cpu = command_seconds(src, option)
        yield f"headcount {option}, seconds", f"{wall:.2f}, CPU {cpu:.2f}"


def _files(lines: list[str]) -> int:
    return len({line.partition(":")[0] for line in lines})


def main(src: Path) -> None:
    """Print the figures, the floors, and the circles."""
    print("| figure | value |\n|---|---|")
    for name, value in figures(src):
        print(f"| {name} | {value} |", flush=True)
    files = of_files(src)
    standing = floors(of_rooms(files))
    print("\n| floor | rooms |\n|---|---|")
    for floor in sorted(set(standing.values()), reverse=True):
        print(f"| {floor} | {', '.join(sorted(name for name, each in standing.items() if each == floor))} |")
    for what, graph in (("rooms", of_rooms(files)), ("files", files)):
        for circle in circles(graph):
            print(f"\nA circle of {what}: {', '.join(circle)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else SRC)
