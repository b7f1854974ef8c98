"""What notebooks show, and figures."""

from __future__ import annotations

import html.parser
import io

import pytest

import foray


class Cells(html.parser.HTMLParser):
    """The table of a page: the text of each cell by (row, column), and whether it has a title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[tuple[int, int], tuple[str, bool]] = {}
        self.row, self.col, self.inside = -1, -1, False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.row, self.col = self.row + 1, -1
        if tag == "td":
            self.col, self.inside = self.col + 1, True
            self.found[self.row, self.col] = ("", bool(attrs))

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.inside:
            text, titled = self.found[self.row, self.col]
            self.found[self.row, self.col] = (text + data, titled)


def test_a_notebook_shows_the_map() -> None:
    run = foray.explore("rooms:rows=1,cols=2,size=2,horizon=6", episodes=300)
    plan = run.plan("goal:7")
    arrows = {"up": "↑", "right": "→", "down": "↓", "left": "←"}
    shown = Cells(plan._repr_html_()).found
    assert run.model.grid is not None and len(shown) == run.model.grid[0] * run.model.grid[1]
    for s in range(run.model.states):
        cell = run.model.cell(s)
        assert cell is not None
        assert shown.pop(cell) == (arrows[run.model.action_name(plan.action(0, s)) or ""], True)
    assert set(shown.values()) <= {("", False)}
    assert "&lt;foray.Plan" in plan._repr_html_() and "<foray.Plan" not in plan._repr_html_()
    run.close()
    assert "<table>" in plan._repr_html_()


def _without_a_map() -> foray.Plan:
    model = foray.Builder.tabular(2, 1, 3).transition(0, 0, 1, 1).transition(1, 0, 0, 1).finish()
    return foray.explore(model, episodes=5).plan("goal:1")


def test_without_a_map_there_is_a_list() -> None:
    shown = _without_a_map()._repr_html_()
    assert shown.startswith("<p>") and "<tr><th>action</th><td>0</td><td>0</td></tr>" in shown


def test_without_a_map_a_figure_has_steps_and_states() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    plan = _without_a_map()
    axes = plan.figure().axes[0]
    assert axes.images[0].get_array().tolist() == plan.policy.T.tolist()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("step", "state")


def test_where_no_episode_can_be_nothing_is_shown() -> None:
    """It raised, and drew the last colour there."""
    model = foray.Builder.tabular(3, 2, 2).initial({0: 1.0})
    for s in range(3):
        model.transition(s, 0, s % 2, 1.0).transition(s, 1, (s + 1) % 2, 1.0)
    plain = foray.explore(model.finish(), episodes=5).plan("goal:1")
    assert plain.policy[:, 2].tolist() == [-1, -1]
    assert plain._repr_html_().endswith("<td>1</td><td>0</td><td></td></tr></table>")  # action 1 leads to state 1
    mapped = foray.Builder.tabular(2, 1, 1).transition(0, 0, 0, 1.0).transition(1, 0, 1, 1.0).grid(1, 2)
    mapped.cell(0, 0, 0).cell(1, 0, 1)
    there = foray.explore(mapped.finish(), episodes=1).plan("goal:0")
    assert Cells(there._repr_html_()).found == {(0, 0): ("0", True), (0, 1): ("", True)}
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert plain.figure().axes[0].images[0].get_array().tolist() == [*plain.policy.T[:2].tolist(), [None, None]]
    assert [text.get_text() for text in there.figure().axes[0].texts] == ["0", ""]


def test_figures() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run = foray.explore("riverswim:states=4,horizon=8", episodes=500)
    plan = run.plan("goal:3")
    for step in (0, 7):
        marks = [text.get_text() for text in plan.figure(step).axes[0].texts]
        assert marks == ["←→"[plan.action(step, s)] for s in range(4)]
    line = run.figure().axes[0].lines[0]
    assert line.get_xydata().tolist() == run.trace()[:, [0, 2]].tolist()
    for figure in (plan.figure(), run.figure()):
        file = io.BytesIO()
        figure.savefig(file)
        assert file.getvalue().startswith(b"\x89PNG")
