"""What the tests share: the command to compare with, if there is one (FORAY_COMMAND)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

# What a shell starts in the background ignores SIGINT, as foray does then; some tests press Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def command() -> Callable[..., Any]:
    """Runs the command with --json and returns what it says; skips where there is none."""
    program = os.environ.get("FORAY_COMMAND")
    if not program:
        pytest.skip("FORAY_COMMAND does not name the command to compare with")

    def run(*arguments: str) -> Any:
        done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    return run
