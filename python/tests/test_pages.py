"""The page about the package says what its docstrings say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def check(top: Path) -> subprocess.CompletedProcess[str]:
    script = str(top / "scripts" / "python-api")
    return subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)


def test_the_page_of_all_names_is_up_to_date() -> None:
    done = check(TOP)
    assert done.returncode == 0, done.stderr


def test_a_changed_docstring_and_a_missing_one_are_noticed(tmp_path: Path) -> None:
    for name in ("scripts/python-api", "docs/python-api.md", "python/foray"):
        to = tmp_path / name
        to.parent.mkdir(exist_ok=True)
        (shutil.copytree if (TOP / name).is_dir() else shutil.copy)(TOP / name, to)
    assert check(tmp_path).returncode == 0
    plans = tmp_path / "python" / "foray" / "plans.py"
    text, doc = plans.read_text(), '"""Is it proved that no policy is better (with probability 1 - delta)?"""'
    plans.write_text(text.replace(doc, '"""What to do."""'))
    assert "not up to date" in check(tmp_path).stderr
    plans.write_text(text.replace(doc, "pass"))
    assert "proved_optimal has no docstring" in check(tmp_path).stderr
