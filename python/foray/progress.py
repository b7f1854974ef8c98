"""One line on a terminal or in a notebook that says how exploring goes."""

from __future__ import annotations

import math
import sys
from typing import Any, TextIO

from ._numbers import flag

WIDTH = 20


def wanted(asked: bool | None) -> bool:
    """Unless somebody said so, a bar is drawn where somebody can see it."""
    if asked is not None:
        return flag(asked, "progress")
    return sys.stderr is not None and sys.stderr.isatty() or "ipykernel" in sys.modules


class Bar:
    """Draws over its own line."""

    def __init__(self, file: TextIO | None = None) -> None:
        self.file = file if file is not None else sys.stderr
        self.first: int | None = None
        self.drawn = False

    def show(self, now: Any) -> None:
        if self.first is None:
            self.first = now.episodes
        done = now.episodes / max(now.budget, 1)
        rate = (now.episodes - self.first) / max(now.seconds, 1e-9)
        line = f"[{'#' * int(WIDTH * done):.<{WIDTH}}] {int(100 * done):3d}% {int(rate):,}/s"
        if rate > 0 and (left := (now.budget - now.episodes) / rate) < 1e6:
            line += f" {int(left) // 60}:{int(left) % 60:02d} left"
        if math.isfinite(now.bound):
            line += f" bound {now.bound:.3g}"
        self.file.write("\r" + line.ljust(78))
        self.file.flush()
        self.drawn = True

    def work(self, now: Any) -> None:
        """The same for work that is done in parts."""
        line = f"[{'#' * int(WIDTH * now.done):.<{WIDTH}}] {int(100 * now.done):3d}%"
        if math.isfinite(now.remaining):
            line += f" {int(now.remaining) // 60}:{int(now.remaining) % 60:02d} left"
        self.file.write("\r" + line.ljust(78))
        self.file.flush()
        self.drawn = True

    def close(self) -> None:
        if self.drawn:
            self.file.write("\n")
            self.file.flush()
