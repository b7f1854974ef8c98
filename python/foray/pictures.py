"""Plans and runs to look at: maps in HTML for notebooks, and figures by matplotlib if it is there."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .models import Model
    from .plans import Plan
    from .runs import Run

ARROWS = {
    "up": "↑", "right": "→", "down": "↓", "left": "←",
    "north": "↑", "east": "→", "south": "↓", "west": "←",
}  # fmt: skip
#: Okabe and Ito's, told apart also by whoever sees few of them.
COLOURS = ["#56b4e9", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#0072b2", "#f0e442", "#999999"]
LARGEST_MAP = 10_000
LONGEST_LIST = 24


def _places(model: Model) -> dict[tuple[int, int], int]:
    """The state in each cell of the map; empty if there is no map to draw, or none with one state a
    cell."""
    if model.grid is None or model.grid[0] * model.grid[1] > LARGEST_MAP:
        return {}
    cells = {s: cell for s in range(model.states) if (cell := model.cell(s)) is not None}
    places = {cell: s for s, cell in cells.items()}
    return places if len(places) == len(cells) else {}


def _mark(model: Model, action: int) -> str:
    """Nothing where no episode can be."""
    return "" if action < 0 else ARROWS.get(model.action_name(action) or "", str(action))


def _called(model: Model, action: int) -> str:
    return "" if action < 0 else model.action_name(action) or str(action)


def _list(plan: Plan) -> str:
    """Without a map: the first states, and what is done there first."""
    model = plan.model
    shown = range(min(model.states, LONGEST_LIST))
    names = "".join(f"<th>{escape(model.state_name(s) or str(s))}</th>" for s in shown)
    done = "".join(
        f"<td>{escape(_called(model, a))}</td>" for a in plan.policy[0, : len(shown)].tolist()
    )
    more = "<td>…</td>" if model.states > len(shown) else ""
    return f"<table><tr><th>state</th>{names}{more}</tr><tr><th>action</th>{done}{more}</tr></table>"


def html(plan: Plan) -> str:
    """The plan as a line of text, and what is done first everywhere: on the map if the model has one."""
    line = f"<p>{escape(repr(plan))}</p>"
    model = plan.model
    if not (places := _places(model)) or model.grid is None:
        return line + _list(plan)
    rows, first = [], plan.policy[0].tolist()
    for row in range(model.grid[0]):
        states = [places.get((row, col)) for col in range(model.grid[1])]
        rows.append("".join(
            "<td></td>" if s is None
            else f'<td title="{escape(model.state_name(s) or str(s))}">{_mark(model, first[s])}</td>'
            for s in states
        ))  # fmt: skip
    return line + "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def _figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def map_of(plan: Plan, step: int) -> Any:
    """The figure of :meth:`foray.Plan.figure`."""
    model, places = plan.model, _places(plan.model)
    if not places or model.grid is None:
        return _steps_of(plan)
    rows, cols = model.grid
    figure, axes = _figure(1.0 + 0.35 * cols, 1.2 + 0.35 * rows)
    axes.set(xlim=(-0.5, cols - 0.5), ylim=(rows - 0.5, -0.5), xticks=[], yticks=[], aspect="equal")
    axes.set_facecolor("0.8")
    done = plan.policy[step].tolist()
    for (row, col), state in places.items():
        axes.bar(col, 0.94, 0.94, row - 0.47, color="white")
        axes.text(col, row, _mark(model, done[state]), ha="center", va="center")
    axes.set_title(f"{plan.reward.name}, step {step}\ncertificate {plan.certificate.gap:.3g}", fontsize=9)
    return figure


def _steps_of(plan: Plan) -> Any:
    """Without a map: states upwards, steps to the right, a colour for each action."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    model = plan.model
    shades: Any = ListedColormap(COLOURS[: min(model.actions, len(COLOURS))])
    figure, axes = _figure(6.0, min(8.0, 2.0 + 0.2 * model.states))
    done: Any = np.ma.masked_less(plan.policy.T, 0) % len(COLOURS)  # nothing where no episode can be
    axes.imshow(done, cmap=shades, vmin=-0.5, vmax=shades.N - 0.5, aspect="auto", origin="lower")
    axes.set(xlabel="step", ylabel="state")
    if model.states <= LONGEST_LIST:
        axes.set_yticks(range(model.states), [model.state_name(s) or str(s) for s in range(model.states)])
    names = [model.action_name(a) or f"action {a}" for a in range(min(model.actions, len(COLOURS)))]
    keys = [Patch(color=COLOURS[a], label=name) for a, name in enumerate(names)]
    figure.legend(handles=keys, loc="outside right upper", fontsize=8)
    axes.set_title(f"{plan.reward.name}, certificate {plan.certificate.gap:.3g}", fontsize=9)
    return figure


def curve_of(run: Run) -> Any:
    """The figure of :meth:`foray.Run.figure`."""
    trace = run.trace()
    figure, axes = _figure(5.0, 3.2)
    axes.step(trace[:, 0], trace[:, 2], where="post", marker="o", markersize=3)
    axes.set(xscale="log", ylim=(0.0, None), xlabel="episodes", ylabel="bound for all rewards")
    axes.set_title(f"{run.world}, {run.algorithm}", fontsize=9)
    return figure
