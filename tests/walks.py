"""The walks of docs/architecture.md as the code has them.

    walks.py SOURCES PAGE

PAGE has blocks ```walk whose lines are FUNCTION FILE [MEMBER]. Each function must be defined in its
file and be called by the function of the line above: by its name or, where the line names a MEMBER,
through a table of functions in which it stands under that name. In blocks ```where, lines are FUNCTION
FILE WORDS, and the function must be defined in the file. PAGE also has one heading "### FOLDER" for every
folder of sources. Prints what is wrong, and ends in 1 if anything is.
"""

import pathlib
import re
import sys


def body_of(path, name):
    """The definition of a function: from a line that begins with its type to the brace that ends it."""
    text = path.read_text() if path.is_file() else ""
    found = re.search(rf"^[a-z][^\n;=]*\b{name}\([^;{{]*\)\n{{\n.*?^}}", text, re.M | re.S)
    return found[0] if found else None


def is_member(sources, member, name):
    pattern = re.compile(rf"\.{member} = {name}\b")
    return any(pattern.search(path.read_text()) for path in (sources / "src").rglob("*.[ch]"))


def walk_problems(sources, walk):
    above = None
    for line in walk.strip().splitlines():
        name, file, *member = line.split()
        body = body_of(sources / file, name)
        if body is None:
            yield f"{name} is not defined in {file}"
        called = rf"(->|\.){member[0]}\(" if member else rf"\b{name}\b"
        if member and not is_member(sources, member[0], name):
            yield f"no table has {name} as {member[0]}"
        if above and above[1] and not re.search(called, above[1]):
            yield f"{above[0]} does not call {name}"
        above = name, body


def place_problems(sources, places):
    for line in places.strip().splitlines():
        name, file, *_ = line.split()
        if body_of(sources / file, name) is None:
            yield f"{name} is not defined in {file}"


def folder_problems(sources, page):
    said = set(re.findall(r"^### `([a-z/]+)/`$", page, re.M))
    there = {f"src/{path.name}" for path in (sources / "src").iterdir() if path.is_dir()}
    there |= {f"lab/{path.name}" for path in (sources / "lab").iterdir() if path.is_dir()} | {"cli"}
    there |= {f"src/explore/{path.name}" for path in (sources / "src/explore").iterdir() if path.is_dir()}
    for folder in sorted(there - said):
        yield f"the page does not describe {folder}"
    for folder in sorted(said - there):
        yield f"the page describes {folder}, which does not exist"


def main():
    sources, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
    walks = re.findall(r"^```walk\n(.*?)^```", page, re.M | re.S)
    problems = [] if walks else ["the page has no walk"]
    for walk in walks:
        problems += walk_problems(sources, walk)
        print(f"{len(walk.strip().splitlines()) - 1} hops")
    for places in re.findall(r"^```where\n(.*?)^```", page, re.M | re.S):
        problems += place_problems(sources, places)
    problems += folder_problems(sources, page)
    for problem in problems:
        print(problem)
    print(f"{len(walks)} walks, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
