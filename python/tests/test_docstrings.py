"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pytest

import foray

MODULES = ["", ".models", ".rewards", ".plans", ".runs", ".environments", ".tables", ".data", ".tradeoffs", ".gym"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    if name == ".gym":
        pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    module = importlib.import_module("foray" + name)
    failed, tried = doctest.testmod(module, extraglobs={"foray": foray})
    assert failed == 0 and tried > 0
