"""Comparisons and experiments, as tables and frames."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import foray

WORLD = "riverswim:states=4,horizon=6"


def test_compare_as_rows_and_frames(tmp_path: Path) -> None:
    tables = foray.compare(WORLD, ["rf-express", "random"], episodes=60, seeds=2, rounds=0, path=tmp_path / "c")
    rows = tables.rows()
    assert {row["algorithm"] for row in rows} == {"rf-express", "random"}
    assert Path(tables.page).exists() and "rows" in tables.names and tables.findings
    with pytest.raises(foray.UsageError, match="there is no table"):
        tables.rows("nothing")
    again = foray.compare(WORLD, ["rf-express", "random"], episodes=60, seeds=3, rounds=0, path=tmp_path / "c")
    assert len(again.rows()) > len(rows)  # continued
    with pytest.raises(foray.UsageError):
        foray.compare(WORLD, ["rf-express"], episodes=70, path=tmp_path / "c")
    pandas = pytest.importorskip("pandas")
    frame = again.frame()
    assert isinstance(frame, pandas.DataFrame) and set(frame["algorithm"]) == {"rf-express", "random"}
    assert len(frame) == len(again.rows())


@pytest.mark.parametrize("name", ["seeds", "rewards", "rounds"])
def test_no_comparison_takes_more_memory_than_there_is(name: str) -> None:
    """2^31 rewards were made one by one, until there was none."""
    for number in (10**6 + 1, 2**31 - 1, 2**63 - 1):
        with pytest.raises(foray.UsageError, match="to 1000000"):
            foray.compare(WORLD, ["random"], episodes=10, **{name: number})  # type: ignore[arg-type]


def test_lab_as_frames() -> None:
    assert {"complexity", "ablation"} <= set(foray.experiments())
    tables = foray.lab("complexity", algorithms=["rf-express", "random"], seeds=1, episodes=64, horizons=4, zones=1,
                       states=5, rewards=1, rounds=0)  # fmt: skip
    assert tables.rows() and tables.findings
    with pytest.raises(foray.ForayError, match="nonsense"):
        foray.lab("nonsense")
    pandas = pytest.importorskip("pandas")
    assert isinstance(tables.frame(), pandas.DataFrame)


def test_frames_without_pandas_say_what_is_missing() -> None:
    said = subprocess.run(
        [sys.executable, "-c", f"""
import sys
sys.modules["pandas"] = None
import foray
tables = foray.compare("{WORLD}", ["random"], episodes=10, seeds=1, rounds=0)
try:
    tables.frame()
except ImportError as error:
    print(error)"""],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "pip install" in said.stdout and ".rows()" in said.stdout
