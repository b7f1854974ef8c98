"""The mirror of the headers in _library.py is exact: structs by a compiler, functions by the text."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from foray import _library

ROOT = Path(__file__).resolve().parents[2]
HEADERS = [ROOT / "include" / "foray" / name for name in ("foray.h", "lab.h", "system.h")]

STRUCTS = {
    "foray_parameter_value": _library.ParameterValue,
    "foray_own_parameter": _library.OwnParameter,
    "foray_settings": _library.Settings,
    "foray_draw": _library.Draw,
    "foray_parameter": _library.Parameter,
    "foray_world_info": _library.WorldInfo,
    "foray_model_facts": _library.ModelFacts,
    "foray_import_options": _library.ImportOptions,
    "foray_import_facts": _library.ImportFacts,
    "foray_reward_facts": _library.RewardFacts,
    "foray_certificate": _library.CertificateStruct,
    "foray_policy": _library.PolicyStruct,
    "foray_policy_memory": _library.MemoryStruct,
    "foray_label": _library.Label,
    "foray_doubt_place": _library.DoubtPlace,
    "foray_doubt_law": _library.DoubtLaw,
    "foray_doubt": _library.Doubt,
    "foray_front": _library.FrontStruct,
    "foray_limit": _library.LimitStruct,
    "foray_limited": _library.LimitedStruct,
    "foray_explorer_facts": _library.ExplorerFacts,
    "foray_progress": _library.Progress,
    "foray_work_progress": _library.WorkProgress,
    "foray_shard": _library.Shard,
    "foray_figure": _library.Figure,
    "foray_comparison": _library.Comparison,
    "foray_lab_options": _library.LabOptions,
    "foray_refutation": _library.Refutation,
    "foray_world_ops": _library.WorldOps,
    "foray_system_spec": _library.SystemSpec,
    "foray_system_ops": _library.SystemOps,
    "foray_own": _library.OwnStruct,
    "foray_own_value": _library.OwnValue,
    "foray_lab_info": _library.LabInfo,
}


def test_every_struct_is_laid_out_as_in_c(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None or not HEADERS[0].exists():
        pytest.skip("no compiler, or no headers")
    lines = ['#include "foray/lab.h"', "#include <stdio.h>", "int main(void) {"]
    for name, struct in STRUCTS.items():
        lines.append(f'printf("{name} . %zu\\n", sizeof({name}));')
        for field in struct._fields_:
            lines.append(f'printf("{name} {field[0]} %zu\\n", offsetof({name}, {field[0]}));')
    source = tmp_path / "layout.c"
    source.write_text("\n".join([*lines, "return 0;", "}"]))
    program = tmp_path / "layout"
    subprocess.run([compiler, f"-I{ROOT}/include", str(source), "-o", str(program)], check=True)
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        name, member, number = line.split()
        struct = STRUCTS[name]
        here = ctypes.sizeof(struct) if member == "." else getattr(struct, member).offset
        assert here == int(number), line


def declared() -> dict[str, tuple[str, list[str]]]:
    """What the headers declare: name, what it returns, and its parameters."""
    if not HEADERS[0].exists():
        pytest.skip("no headers")
    text = "".join(path.read_text() for path in HEADERS)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {}
    for match in re.finditer(r"FORAY_API\s+([^;(]*?)(foray_\w+)\(((?:[^()]|\([^()]*\))*)\);", text):
        parameters = re.sub(r"\([^()]*\)$", "", match[3])
        parts = [p.strip() for p in re.split(r",(?![^()]*\))", match[3]) if p.strip() != "void"]
        del parameters
        found[match[2]] = (match[1].strip(), parts)
    return found


def kind(text: str) -> str:
    """The word of _library.FUNCTIONS for a C type, with or without a name."""
    if "(*" in text or text.endswith("_fn") or "_fn " in text or "[" in text:
        return "ptr"
    if text.count("*") == 1 and "const char" in text:
        return "str"
    if "*" in text:
        return "ptr"
    words = {"void": "void", "bool": "bool", "int64_t": "i64", "uint64_t": "u64", "uint32_t": "u32",
             "int32_t": "i32", "double": "f64", "size_t": "size", "foray_status": "status", "int": "int"}  # fmt: skip
    first = text.split()[0]
    return words.get(first, "int")  # what is left are enums


def test_every_function_is_declared_as_in_the_header() -> None:
    headers = declared()
    assert len(headers) > 150
    for line in _library.FUNCTIONS.splitlines():
        if not line.split():
            continue
        result, name, *arguments = line.split()
        returned, parameters = headers[name]
        assert kind(returned) == result, line
        assert len(parameters) == len(arguments), line
        for ours, theirs in zip(arguments, parameters, strict=True):
            assert ours == kind(theirs) or {ours, kind(theirs)} == {"str", "ptr"}, (line, theirs)
