"""The graph of folders as the code has it, compared with the page that describes it.

    graph.py SOURCES OBJECTS PAGE

SOURCES is the top of the tree, OBJECTS the CMakeFiles directory of a build, PAGE a Markdown file
with a block ```graph whose lines are FOLDER KNOWN... A folder knows another if one of its files
includes a header of the other, or one of its objects uses a symbol that the other defines.
Prints what is wrong, one line each, and ends in 1; in 0 if nothing is.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

PUBLIC = "include"  # the public headers, which every folder may include

# What may use these symbols of other libraries, as regular expressions; nobody: "".
EXTERNAL = [
    (r"sqlite3_.*", r"run"),
    (r"dlopen|dlsym|posix_spawnp?|fork|execv.*", r"outside"),
    (r"stdout|stderr|v?printf|puts|putchar|perror|exit|_exit|abort|getenv|setlocale", r""),
]

# What must never know what, whatever the page says.
FORBIDDEN = [
    (r"(?!lab/|cli$).*", r"lab/.*", "libforay knows nothing of libforay-lab"),
    (r"(?!cli$).*", r"cli", "only the command knows the command"),
    (r"learn|plan", r"world|system", "learning and planning know nothing of worlds"),
    (r"explore(/.*)?", r"run|system", "explorers know nothing of files and systems"),
    (r"explore/.*", r"world", "of explore, only the episode loop knows worlds"),
]


def folder_of(path):
    """src/explore/tabular/euler.c -> explore/tabular, lab/draw/svg.c -> lab/draw."""
    parts = pathlib.PurePosixPath(path).parts[:-1]
    return {"src": "/".join(parts[1:]), "include": PUBLIC}.get(parts[0], "/".join(parts))


def source_files(top):
    for part in ("src", "lab", "cli"):
        for path in sorted((top / part).rglob("*")):
            if path.suffix in (".c", ".h", ".inc"):
                yield path.relative_to(top)


def include_edges(top):
    """(from, to) -> reasons, for every #include "..." of the tree."""
    edges = collections.defaultdict(list)
    for path in source_files(top):
        text = (top / path).read_text()
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            places = [path.parent / name] + [pathlib.PurePosixPath(p) / name for p in ("src", "lab", "include")]
            found = next((place for place in places if (top / place).exists()), None)
            if found is None:
                edges[folder_of(path), name].append(f"{path} includes {name}, which is nowhere")
            else:
                found = pathlib.PurePosixPath(os.path.normpath(found))
                edges[folder_of(path), folder_of(found)].append(f"{path} includes {found}")
    return edges


def symbols_of(objects, folders):
    """Who defines a symbol, and who uses which: name -> file, file -> names. Objects of folders that
    are no more are left over from an earlier build."""
    defined, used = {}, {}
    for library in ("libforay.dir", "libforay-lab.dir", "foray.dir"):
        paths = sorted(map(str, (objects / library).rglob("*.o")))
        listing = subprocess.run(["nm", "-A", *paths], check=True, capture_output=True, text=True)
        for line in listing.stdout.splitlines():
            path, rest = line.split(":", 1)
            source = str(pathlib.Path(path).relative_to(objects / library))[: -len(".o")]
            kind, name = rest.split()[-2:]
            if source.startswith(("src/", "lab/", "cli/")) and folder_of(source) not in folders:
                continue
            if kind in "Uw":
                used.setdefault(source, set()).add(name)
            elif kind.isupper():
                defined[name] = source
    return defined, used


def symbol_edges(defined, used):
    edges = collections.defaultdict(list)
    for source, names in used.items():
        for name in sorted(names & defined.keys()):
            edges[folder_of(source), folder_of(defined[name])].append(f"{source} uses {name}")
    return edges


def external_problems(defined, used):
    """Symbols from elsewhere that only some folders may use; the command may do what it likes."""
    for source, names in used.items():
        for name in sorted(names - defined.keys()):
            for pattern, allowed in EXTERNAL:
                if (folder_of(source) != "cli" and re.fullmatch(pattern, name)
                        and not re.fullmatch(allowed, folder_of(source))):
                    yield f"{source} uses {name}" + (f", which only {allowed} may" if allowed else "")


def page_edges(page):
    """The lines of the block: folder -> folders that it knows. Indented lines continue others."""
    block = re.search(r"^```graph\n(.*?)^```", page.read_text(), re.M | re.S)
    lines = re.sub(r"\n +", " ", block.group(1)).splitlines() if block else []
    return {words[0]: set(words[1:]) for words in map(str.split, lines) if words}


def cycles(known):
    """Folders that know themselves through others."""
    for start in known:
        seen, todo = set(), list(known[start])
        while todo:
            folder = todo.pop()
            if folder not in seen:
                seen.add(folder)
                todo.extend(known.get(folder, ()))
        if start in seen:
            yield f"{start} is part of a cycle"


def compare(real, reasons, listed):
    for folder in sorted(real.keys() | listed.keys()):
        if folder not in real:
            yield f"the page lists {folder}, which does not exist"
            continue
        if folder not in listed:
            yield f"the page does not list {folder}"
        for target in sorted(real[folder] - listed.get(folder, set())):
            yield f"{folder} knows {target}, and the page does not say so: {reasons[folder, target][0]}"
        for target in sorted(listed.get(folder, set()) - real[folder]):
            yield f"{folder} does not know {target}, and the page says it does"


def main(sources, objects, page):
    top = pathlib.Path(sources)
    edges = include_edges(top)
    folders = {folder_of(path) for path in source_files(top)}
    defined, used = symbols_of(pathlib.Path(objects), folders)
    for pair, reasons in symbol_edges(defined, used).items():
        edges[pair] += reasons
    problems = list(external_problems(defined, used))

    # The command has no line: it may use everything, and nothing else uses it.
    real = {folder_of(path): set() for path in source_files(top) if folder_of(path) != "cli"}
    for source, target in edges:
        if source != target and target != PUBLIC and source != "cli":
            real[source].add(target)
    for source, target in sorted(edges):
        for who, whom, why in FORBIDDEN:
            if source != target and re.fullmatch(who, source) and re.fullmatch(whom, target):
                problems.append(f"{edges[source, target][0]}: {why}")
    problems += compare(real, edges, page_edges(pathlib.Path(page)))
    problems += cycles(real)
    for problem in problems:
        print(problem)
    count = sum(map(len, real.values()))
    print(f"graph: {len(real)} folders, {count} edges, {len(problems)} problems")
    return 1 if problems or count < 20 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
