"""The widgets of a live lab: traits that go both ways between Python and the page.

Each runs the module that also runs in the built page. Its saved output carries the page form, so a reader
without a kernel sees the widget at work all the same.
"""

from dataclasses import replace

import anywidget
import traitlets

from gpt_config import GPTConfig
from widgets import registry
from widgets.page import FOLDER, module_source
from widgets.state import ATTENTION, LARGEST_VALUE, config_fields, training_fields


class _BookWidget(anywidget.AnyWidget):
    """What all have in common: the style sheet, a stable text and the page form beside the live one."""

    _css = (FOLDER / "widgets.css").read_text(encoding="utf-8")
    _module: str  # the name of its ES module and in the registry
    _settable: tuple[str, ...]  # what a reader can set

    data = traitlets.Dict().tag(sync=True)

    def _values(self) -> dict:
        return {name: getattr(self, name) for name in self._settable}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._values().items())})"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return {**data, "text/html": registry.html(self._module, self._page_values())}, metadata

    def _page_values(self) -> dict:
        return self._values()


def _config_to_json(config: GPTConfig, widget) -> dict:
    return config_fields(config)


def _config_from_json(fields: dict, widget) -> GPTConfig:
    """The configuration set in the page; what describes no model leaves the last good one in place."""
    try:
        config = GPTConfig(**{**fields, "dropout": float(fields["dropout"])})
        widget._fields(config)
    except (KeyError, TypeError, ValueError):
        return widget.config
    return config


class _ConfigWidget(_BookWidget):
    """A widget about one configuration. ``config`` is a GPTConfig in Python and moves with the page."""

    config = traitlets.Instance(GPTConfig).tag(sync=True, to_json=_config_to_json, from_json=_config_from_json)
    _fields = staticmethod(config_fields)  # refuses what cannot be shown

    def __init__(self, config: GPTConfig | str | None = None, **values):
        make_state = registry.WIDGETS[self._module].make_state
        if config is not None:
            values["config"] = config
        state = make_state(**values)
        super().__init__(**{**state, "config": GPTConfig(**state["config"])})

    @traitlets.validate("config")
    def _config_can_be_shown(self, proposal):
        self._fields(proposal["value"])
        return proposal["value"]


class Calculator(_ConfigWidget):
    """The parameter calculator: ``Calculator(PRESETS["gpt2-xl"])``, then read or set ``.config``."""

    _esm = module_source(FOLDER / "calculator.mjs")
    _module = "calculator"
    _settable = ("config",)


class Heads(_ConfigWidget):
    """One (3C, C) matrix cut into H heads."""

    _esm = module_source(FOLDER / "heads.mjs")
    _module = "heads"
    _settable = ("config",)


class Walk(_ConfigWidget):
    """A walk through one block, ``step`` by step, with ``batch_size`` sequences."""

    _esm = module_source(FOLDER / "walk.mjs")
    _module = "walk"
    _settable = ("config", "batch_size", "step")

    batch_size = traitlets.Int(min=1, max=LARGEST_VALUE).tag(sync=True)
    step = traitlets.Int(min=0).tag(sync=True)

    @traitlets.validate("step")
    def _step_exists(self, proposal):
        last = len(self.data["steps"]) - 1 if self.data else proposal["value"]
        if proposal["value"] > last:
            raise traitlets.TraitError(f"step={proposal['value']} is not valid; use an integer from 0 to {last}")
        return proposal["value"]


class Trimming(_ConfigWidget):
    """The position table cut to its first ``kept`` rows."""

    _esm = module_source(FOLDER / "trimming.mjs")
    _module = "trimming"
    _settable = ("config", "kept")

    kept = traitlets.Int(min=1).tag(sync=True)

    @traitlets.validate("kept")
    def _rows_exist(self, proposal):
        if proposal["value"] > self.config.block_size:
            raise traitlets.TraitError(
                f"kept={proposal['value']} is not valid; use an integer from 1 to block_size={self.config.block_size}"
            )
        return proposal["value"]

    @property
    def trimmed_config(self) -> GPTConfig:
        """The configuration after the cut."""
        return replace(self.config, block_size=self._rows_left())

    def _rows_left(self) -> int:
        # As in the page, the reader's own ``kept`` returns with a larger T.
        return min(self.kept, self.config.block_size)

    def _page_values(self) -> dict:
        return {**self._values(), "kept": self._rows_left()}


class Training(_ConfigWidget):
    """What one training step of a configuration without dropout needs, with ``batch_size`` sequences."""

    _esm = module_source(FOLDER / "training.mjs")
    _module = "training"
    _settable = ("config", "batch_size", "attention")
    _fields = staticmethod(training_fields)

    batch_size = traitlets.Int(min=1, max=LARGEST_VALUE).tag(sync=True)
    attention = traitlets.Enum(list(ATTENTION)).tag(sync=True)


class Residuals(_BookWidget):
    """The residual explorer for curves in the form of :func:`widgets.state.check_curves`."""

    _esm = module_source(FOLDER / "residuals.mjs")
    _module = "residuals"
    _settable = ("depth", "rule")

    depth = traitlets.Int().tag(sync=True)
    rule = traitlets.Unicode().tag(sync=True)

    def __init__(self, curves: dict, **values):
        super().__init__(**registry.WIDGETS[self._module].make_state(curves, **values))

    @traitlets.validate("depth", "rule")
    def _was_measured(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        measured = self.data["curves"][name + "s"] if self.data else [value]
        if value not in measured:
            raise traitlets.TraitError(f"{name}={value!r} was not measured; use one of {', '.join(map(str, measured))}")
        return value

    def _page_values(self) -> dict:
        return {"curves": self.data["curves"], **self._values()}
