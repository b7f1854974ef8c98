"""Looks for names too common: common_names.py SOURCES. Prints them, and ends in 1 if there are any.

A static function of one name in more than MAX_FILES files of src, lab and cli says nothing of its
subject.
"""

import collections
import pathlib
import re
import sys

MAX_FILES = 5
KINDS = {".c", ".h", ".inc"}
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)")
STATIC = re.compile(r"^static\b[^;={}()]*?\b(\w+)\s*\((?!\*)", re.M)


def main(sources):
    top = pathlib.Path(sources)
    problems = 0
    places = collections.defaultdict(list)
    for part in ["src", "lab", "cli"]:
        for found in sorted((top / part).rglob("*")):
            if found.suffix in KINDS:
                for name in set(STATIC.findall(ATTRIBUTE.sub("", found.read_text()))):
                    places[name].append(found.relative_to(top).as_posix())
    for name, files in sorted(places.items()):
        if len(files) > MAX_FILES:
            print(f"'{name}' is a static function in {len(files)} files, name its subject: {' '.join(files)}")
            problems += 1
    print(f"common names: {len(places)} static functions, {problems} problems")
    return 1 if problems or not places else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
