"""Looks for retired words and for names too common: words.py SOURCES LIST.

Prints where they are, and ends in 1 if any.

A line of LIST is REGEX <TAB> what to say instead [<TAB> REGEX of paths where it is allowed].
Searched, without regard to case, are names of files and their text: code, comments and messages,
headers, manual and pages. Sentences are found across line breaks, also within comments and strings.

Static functions of one name in more than MOST_FILES files of src, lab and cli are problems too: a
name so common says nothing of its subject.
"""

import collections
import pathlib
import re
import sys

SEARCHED = ["src", "lab", "cli", "include", "docs", "examples", "completions", "README.md", "CONTRIBUTING.md"]
KINDS = {".c", ".h", ".inc", ".md", ".1", ".py", ".bash", ""}
# What separates two words of a sentence: spaces, line breaks, what begins a line of a comment, the
# end of a string and the beginning of the next.
GAP = re.compile(r'(?:\\n|[\s"*\\>|#])+')
MOST_FILES = 5
CODE = re.compile(r"(?:src|lab|cli)/.*\.(?:c|h|inc)")
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)")
STATIC = re.compile(r"^static\b[^;={}()]*?\b(\w+)\s*\((?!\*)", re.M)


def entries(path):
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, instead, *allowed = line.split("\t")
            yield re.compile(pattern, re.I), instead, allowed[0] if allowed else None


def files(top):
    for part in SEARCHED:
        path = top / part
        for found in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if found.is_file() and found.suffix in KINDS and "results" not in found.parts:
                yield found.relative_to(top).as_posix(), found.read_text()


def line_of(text, start):
    """The line of what is at `start` once every gap of the text is one space."""
    shorter = 0
    for gap in GAP.finditer(text):
        if gap.start() - shorter >= start:
            break
        shorter += len(gap.group()) - 1
    return text.count("\n", 0, start + shorter) + 1


def common_names(places):
    """Problems, given the files of each name of a static function."""
    for name, found in sorted(places.items()):
        if len(found) > MOST_FILES:
            yield f"'{name}' is a static function in {len(found)} files, name its subject: {' '.join(found)}"


def main(sources, listing):
    top = pathlib.Path(sources)
    retired = list(entries(pathlib.Path(listing)))
    problems = searched = 0
    places = collections.defaultdict(list)
    for name, text in files(top):
        searched += 1
        if CODE.fullmatch(name):
            for static in sorted(set(STATIC.findall(ATTRIBUTE.sub("", text)))):
                places[static].append(name)
        plain = GAP.sub(" ", text)
        for regex, instead, allowed in retired:
            found = regex.search(name) or regex.search(plain)
            if found and not (allowed and re.search(allowed, name)):
                line = 0 if found.string is name else line_of(text, found.start())
                print(f"{name}:{line}: '{found.group().strip()}' is retired: {instead}")
                problems += 1
    for problem in common_names(places):
        print(problem)
        problems += 1
    print(f"words: {searched} files, {len(retired)} retired words, {len(places)} static names, {problems} problems")
    return 1 if problems or searched < 100 or not retired or not places else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
