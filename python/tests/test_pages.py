"""What pages say about the package is true: its docstrings, and the numbers beside examples."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import foray

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


def agree(printed: list[str], found: list[float]) -> bool:
    """Is each number the one that was found, to the digits that are printed?"""
    return [f"{x:.{len(said.partition('.')[2])}f}" for said, x in zip(printed, found, strict=True)] == printed


def lake(**known: Any) -> foray.Plan:
    gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    run = foray.explore(env, **{"horizon": 30, "progress": False, **known})
    return run.plan(foray.reach(15))


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_first_example_prints_what_the_page_says(page: str) -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    text = (TOP / page).read_text()
    block = re.search(r"```python\n(import foray, gymnasium\n.*?)```", text, re.DOTALL)
    assert block
    names: dict[str, Any] = {}
    exec(block[1], names)
    plan = names["plan"]
    said = re.search(r"print\(plan\) +# value (\S+) in \[(\S+), (\S+)\], certificate (\S+) \((\w+)\)", block[1])
    assert said and said[5] == plan.certificate.status
    found = [plan.value, plan.low, plan.high, plan.certificate.gap]
    assert agree(list(said.groups()[:4]), found)
    assert not agree(list(said.groups()[:4]), [*found[:3], found[3] + 0.001])  # the comparison can fail


def test_what_knowledge_is_worth_is_what_the_pages_say() -> None:
    text = (TOP / "docs" / "python.md").read_text()
    rows = re.findall(r"^\| (`known=\S.*`|nothing) \| .*? \| (\S+) \| (\S*) ?\|$", text, re.MULTILINE)
    assert len(rows) == 3
    for how, after_1000, after_20000 in rows:
        known = eval(f"dict({how.strip('`')})") if how != "nothing" else {}
        for episodes, said in ((1000, after_1000), (20_000, after_20000)):
            if said:
                assert agree([said], [lake(episodes=episodes, **known).certificate.gap]), (how, episodes)
    nothing = re.search(r"certificate after the same number of episodes is (\S+),", (TOP / "README.md").read_text())
    assert nothing and agree([nothing[1]], [lake(episodes=1000).certificate.gap])
