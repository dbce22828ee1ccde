"""Models: read from files and texts, or built in code."""

from __future__ import annotations

import copy
import difflib
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core, toml
from .comparison import Comparison
from .errors import MODEL_FAULTS, Diagnostic, DoubtfulWarning, ModelError, RunError, diagnostics_from, first_kind
from .results import Progress, Run, follow
from .results import open as open_run
from .system import System

Value = Any  # a number in SI units, or a text with a unit or a formula


Functions = Mapping[str, Callable[[float], Any]]


def load(
    path: str | os.PathLike[str], *, spatial: bool = False, functions: Functions | None = None, **parameters: Value
) -> Model:
    """Reads a model file, or the ``model.toml`` of a folder.

    ``functions`` are Python functions that formulas of the model call (``Model.function``).

    ``parameters`` are other values for parameters of the model. All faults of the file are told
    at once, by ``ModelError``.
    """
    path = os.fspath(path)
    file = _core.model_file(path)
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            text = stream.read()
    except UnicodeDecodeError as error:
        raise ModelError([Diagnostic("syntax.encoding", "error", f"{file} is not UTF-8")]) from error
    return Model._read(text, path, spatial, parameters, functions)


def loads(
    text: str,
    name: str = "model.toml",
    *,
    spatial: bool = False,
    functions: Functions | None = None,
    **parameters: Value,
) -> Model:
    """Reads a model from a text. ``name`` stands for its file in messages; files that it includes are
    looked for beside it."""
    return Model._read(text, name, spatial, parameters, functions)


@dataclass(frozen=True)
class Parameter:
    name: str
    value: float
    unit: str
    text: str
    follows_from: list[str]
    structural: bool


@dataclass(frozen=True)
class Check:
    """What a check has found. True where the mechanism can be put together."""

    ok: bool
    diagnostics: list[Diagnostic]
    mobility: dict[str, Any]

    def __bool__(self) -> bool:
        return self.ok

    @property
    def dof(self) -> int | None:
        """Degrees of freedom; ``None`` where it could not be put together."""
        found = self.mobility.get("dof")
        return None if found is None else int(found)

    def __str__(self) -> str:
        lines = [str(d) for d in self.diagnostics]
        return "\n".join([*lines, str(self.mobility.get("text", ""))]).strip()


@dataclass(frozen=True)
class Effect:
    """Of a parameter p on a channel y: ``effect`` is the largest abs(p dy/dp), as a share of the range of y;
    ``derivative`` is dy/dp there, in SI units, at the time ``at``."""

    parameter: str
    channel: str
    effect: float
    derivative: float
    at: float


class Model:
    """A mechanism, read from a file (``cardan.load``) or built in code.

    Names, keys and units are those of model files; numbers are in SI units, texts have a unit or are
    formulas. What is wrong is told by ``check`` and ``run``, as for a file.

    >>> m = Model("Pendulum", gravity=[0, "-9.81 m/s^2"])
    >>> m.parameters(length="1 m")
    >>> m.body("bar", from_=[0, 0], to=["length", 0], mass="1 kg")
    >>> m.joint.revolute("pin", between=["ground", "bar"], at=[0, 0])
    >>> m.analysis.dynamic(until="2 s")
    >>> m.check().dof
    1
    >>> m.run().status
    'complete'
    """

    def __init__(self, title: str, **settings: Any) -> None:
        known = _sections().model_keys
        _refuse_unknown("Model", settings, known)
        self._text: str | None = None
        self._settings: dict[str, Any] = {"title": title, **settings}
        self._tables: list[tuple[str, dict[str, Any]]] = []
        self._path = "model.toml"
        self._set: dict[str, str] = {}
        self._spatial = False
        self._functions: dict[str, Callable[[float], Any]] = {}
        self._files: list[tuple[str, str]] = []

    @classmethod
    def _read(
        cls,
        text: str,
        path: str,
        spatial: bool,
        parameters: Mapping[str, Value],
        functions: Functions | None = None,
        files: Sequence[tuple[str, str]] = (),
    ) -> Model:
        model = cls.__new__(cls)
        model._text = text
        model._settings = {}
        model._tables = []
        model._path = path
        model._set = {}
        model._spatial = spatial
        model._functions = {}
        model._files = list(files)  # as they were read once; others are opened
        for name, f in (functions or {}).items():
            model.function(name, f)
        model.set(**parameters)
        return model

    # ---- building

    def parameters(self, **values: Value) -> None:
        """Adds parameters, which formulas of the model may name."""
        for entries in (t for name, t in self._tables if name == "parameters"):
            entries.update(values)
            return
        if self._text is not None:
            raise ModelError([_usage("new parameters of a model that was read", "set() for those it has")])
        self._tables.insert(0, ("parameters", dict(values)))

    def body(self, name: str, **keys: Any) -> None:
        """Adds a body; its keys are those of ``[[body]]``."""
        self._add("body", {"name": name, **keys}, _sections().keys["body"])

    def function(self, name: str, f: Callable[[float], Any]) -> None:
        """A Python function of one variable, which formulas of the model call by its name: laws of forces, motions
        of drivers.

        ``f`` gives its value in SI units, or value, first and second derivative, which drivers should have;
        otherwise they are taken by differences. Such runs can be neither resumed nor verified.

        >>> m = Model("Mass on a spring")
        >>> m.function("law", lambda x: -100 * x)
        >>> m.body("mass", at=[0.1, 0], mass=1, inertia=1)
        >>> m.joint.translational("guide", between=["ground", "mass"], axis=[1, 0])
        >>> m.request(joint="guide", name="x")
        >>> m.force.force("spring", body="mass", value=["law(0.1 + x/1 m)*1 N", 0])
        >>> m.analysis.dynamic(until=0.1)
        >>> round(float(m.run(rtol=1e-9)["mass.x"][-1]), 6)  # 0.1 cos 1
        0.05403
        """
        if not callable(f):
            raise TypeError(f"{f!r} is no function")
        self._functions[name] = f

    def __getattr__(self, name: str) -> Any:
        # Lists of elements and other tables, as the model file has them.
        if name.startswith("_"):
            raise AttributeError(name)
        found = _sections()
        if name in found.types:
            return Elements(self, name, found.types[name])
        if name in found.keys:
            return Elements(self, name, {}, found.keys[name])
        if name in found.commands:
            return lambda **options: self.run(found.commands[name], **options)
        near = difflib.get_close_matches(name, [*found.types, *found.keys, *found.commands, *dir(type(self))], 1)
        raise AttributeError(f"a model has no '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))

    def __dir__(self) -> list[str]:
        found = _sections()
        return sorted({*super().__dir__(), *found.types, *found.keys, *found.commands})

    def _add(self, section: str, entries: dict[str, Any], known: Mapping[str, str]) -> None:
        entries = {_key(name, known): value for name, value in entries.items()}
        _refuse_unknown(section, entries, known)
        toml.table("", entries)  # faults of values are told here
        self._tables.append((section, entries))

    def to_toml(self) -> str:
        """The text of the model file."""
        parts = [self._text] if self._text is not None else [toml.table("", self._settings)]
        for section, entries in self._tables:
            header = f"[{section}]" if section in _sections().single else f"[[{section}]]"
            parts.append(toml.table(header, entries))
        return "\n".join(part if part.endswith("\n") or not part else part + "\n" for part in parts)

    # ---- parameters

    def set(self, **values: Value) -> Model:
        """Gives parameters other values, from here on: numbers in SI units, texts with a unit, or formulas.

        >>> m = loads('''
        ... [parameters]
        ... length = "1 m"
        ... [[body]]
        ... name = "bar"
        ... from = [0, 0]
        ... to = ["length", 0]
        ... mass = 1''')
        >>> m.set(length="400 mm").parameter("length").value
        0.4
        """
        before = dict(self._set)
        self._set.update({name: _text_of(value) for name, value in values.items()})
        try:
            _core.parameters(self._request())  # an unknown name or a wrong unit is told here
        except ModelError:
            self._set = before
            raise
        return self

    def copy(self) -> Model:
        """The same model, to be changed apart from this one."""
        return copy.deepcopy(self)

    def list_parameters(self) -> list[Parameter]:
        """The parameters of the model with their values in SI units."""
        return [Parameter(**p) for p in json.loads(_core.parameters(self._request()))]

    def parameter(self, name: str) -> Parameter:
        found = {p.name: p for p in self.list_parameters()}
        if name not in found:
            near = difflib.get_close_matches(name, found, 1)
            hint = f"did you mean '{near[0]}'?" if near else ""
            raise ModelError([_usage(f"no parameter '{name}'", ", ".join(found) or "none: the model has none", hint)])
        return found[name]

    # ---- analyses

    def check(self) -> Check:
        """Reads, compiles and puts the mechanism together, and tells how it can move."""
        found = json.loads(_core.check(self._request()))
        return Check(found["ok"], diagnostics_from(found["diagnostics"]), found.get("mobility", {}))

    def run(
        self,
        analysis: str = "",
        *,
        output: str | os.PathLike[str] | None = None,
        force: bool = False,
        csv: bool = False,
        report: bool = True,
        branches: bool = False,
        progress: bool | Callable[[float, float, float], None] | None = None,
        **options: Any,
    ) -> Run:
        """Runs the analyses of the model, or one kind of them.

        ``options`` are those of the analyses, as the model file has them: ``until=5``,
        ``rtol=1e-8``, ``formulation="hybrid"``. Results stay in memory unless ``output`` names a folder; a
        folder can be resumed, and ``force`` replaces a run that is there. ``progress`` is a function of
        (t, from, until), or whether to show a bar (tqdm); by default one is shown on a terminal and in a notebook.

        Raises ``ModelError`` for a faulty model and ``RunError`` for a run that failed, whose results are in
        ``RunError.run``. A run that does not trust its results gives a ``DoubtfulWarning``.
        """
        request = self._request(analysis, options)
        with follow(progress) as told:
            if output is None:
                return judged(Run(_core.run(request, branches, told)))
            text = _core.run_stored(request, os.fspath(output), force, csv, report, branches, told)
        result = json.loads(text)
        if not result["folder"]:
            raise ModelError(diagnostics_from(result["summary"]["diagnostics"]))
        return judged(open_run(result["folder"]))

    def sensitivity(
        self,
        of: str | Sequence[str] = (),
        by: str | Sequence[str] = (),
        *,
        analysis: str = "",
        progress: bool | Callable[[float, float, float], None] | None = None,
        **options: Any,
    ) -> list[Effect]:
        """Which parameters matter: those with the largest effects first.

        ``of`` are channels, with * and ?; otherwise the requests of the model, or all positions. ``by`` are parameters;
        otherwise all that follow from no other. ``analysis`` and ``options`` are those of ``run``, whose option
        ``sensitivity`` gives the derivatives themselves, as channels.
        """
        request = self._request(analysis, options)
        with follow(progress) as told:
            summary = json.loads(_core.rank(request, _names(of), _names(by), told))
        if summary["status"] not in ("complete", "doubtful"):
            found = diagnostics_from(summary["diagnostics"])
            raise ModelError(found) if first_kind(found) in MODEL_FAULTS else RunError(found)
        return [Effect(e["parameter"], e["channel"], e["effect"], e["largest"], e["at"]) for e in summary["ranking"]]

    def compare(
        self,
        accuracy: float = 1e-6,
        *,
        formulations: str | Sequence[str] = (),
        integrators: str | Sequence[str] = (),
        tolerances: Sequence[float] = (),
        steps: Sequence[float] = (),
        channels: str | Sequence[str] = (),
        budget: float = 60.0,
        progress: Callable[[str, int, int], None] | None = None,
        **options: Any,
    ) -> Comparison:
        """Tries the methods on this model, against a converged reference, and recommends one for an accuracy.

        ``formulations`` and ``integrators`` are tried alone; otherwise all that make sense. ``tolerances`` and ``steps``
        are their settings, ``channels`` what is compared, otherwise the positions of all bodies. It takes ``budget``
        seconds at most. ``progress`` is a function of (method, done, all).
        """
        asked = _core.ComparisonOptions()
        if not 1e-13 <= accuracy <= 1:
            raise ModelError([_usage(f"accuracy {accuracy}", "1e-13 to 1")])
        if not budget > 0:
            raise ModelError([_usage(f"budget {budget}", "a number of seconds above zero")])
        asked.accuracy, asked.budget = accuracy, budget
        asked.formulations, asked.integrators, asked.channels = _names(formulations), _names(integrators), _names(channels)
        asked.tolerances, asked.steps = [float(x) for x in tolerances], [float(x) for x in steps]
        if not all(1e-14 <= x <= 1 for x in asked.tolerances) or not all(x > 0 for x in asked.steps):
            raise ModelError([_usage("tolerances or steps", "tolerances from 1e-14 to 1, steps in seconds above zero")])
        facts, text = _core.compare(self._request("", options), asked, progress)
        return Comparison(json.loads(facts), text)

    def system(self) -> System:
        """The equations of the mechanism in numbers, for own integrators and formulations."""
        return System(_core.System(self._request()))

    def _request(self, analysis: str = "", options: Mapping[str, Any] | None = None) -> _core.Request:
        request = _core.Request()
        request.path = self._path
        request.text = self.to_toml()
        request.set = [f"{name}={text}" for name, text in self._set.items()]
        request.spatial = self._spatial
        request.analysis = analysis
        request.files = self._files
        for name, f in self._functions.items():
            request.add_function(name, f)
        request.options = [(key, _option_text(value)) for key, value in (options or {}).items()]
        return request

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        changed = ", ".join(f"{k}={v}" for k, v in self._set.items())
        title = self._settings.get("title", self._path)
        return f"<cardan.Model {title!r}{', ' + changed if changed else ''}>"


class Elements:
    """Tables of one kind that can be added: ``model.joint.revolute("pin", ...)``, ``model.joint("revolute", "pin", ...)``."""

    def __init__(
        self,
        model: Model,
        kind: str,
        types: Mapping[str, tuple[str, Mapping[str, str]]],
        keys: Mapping[str, str] | None = None,
    ) -> None:
        self._model = model
        self._kind = kind
        self._types = types
        self._keys = keys

    def __call__(self, *words: str, **keys: Any) -> None:
        """With types: type, then name. Without: the name, where it has one."""
        if self._keys is not None:
            self._model._add(self._kind, {**({"name": words[0]} if words else {}), **keys}, self._keys)
            return
        if not words:  # on a joint, whose type says what is meant
            self._model._add(self._kind, keys, self._types[""][1] if "" in self._types else {})
            return
        kind = words[0]
        if kind not in self._types:
            near = difflib.get_close_matches(kind, self._types, 1)
            hint = f"did you mean '{near[0]}'?" if near else ""
            raise ModelError([_usage(f"{self._kind} of type '{kind}'", ", ".join(filter(None, self._types)), hint)])
        self._model._add(
            self._kind, {"type": kind, **({"name": words[1]} if len(words) > 1 else {}), **keys}, self._types[kind][1]
        )

    def __getattr__(self, name: str) -> Callable[..., None]:
        kind = name.replace("_", "-")
        if name.startswith("__") or kind not in self._types:
            other = _other_words.get(kind, "")
            near = [other] if other in self._types else difflib.get_close_matches(kind, self._types, 1, 0.75)
            known_ones = "" if near else f"; there are {', '.join(dir(self)) or 'none: it is called itself'}"
            raise AttributeError(
                f"no {self._kind} of type '{kind}'" + (f"; did you mean '{near[0]}'?" if near else known_ones)
            )
        doc, known = self._types[kind]

        def add(name: str | None = None, /, **keys: Any) -> None:
            self(*([kind] if name is None else [kind, name]), **keys)

        add.__name__ = name
        add.__doc__ = doc + "\n\n" + "\n".join(f"    {key}: {words}" for key, words in known.items())
        return add

    def __dir__(self) -> list[str]:
        return sorted(name.replace("-", "_") for name in self._types if name)

    def __iter__(self) -> Iterator[str]:
        return iter(name for name in self._types if name)


# ---- what the model file can have, from the program's own description of it


@dataclass(frozen=True)
class _Sections:
    model_keys: dict[str, str]
    types: dict[str, dict[str, tuple[str, dict[str, str]]]]  # joint -> revolute -> words, keys
    keys: dict[str, dict[str, str]]  # of tables without types
    single: frozenset[str]  # tables that are there once
    commands: dict[str, str]  # kinematic, assemble, ... -> the analysis


_found: list[_Sections] = []


def _sections() -> _Sections:
    if not _found:
        _found.append(_read_sections())
    return _found[0]


def _read_sections() -> _Sections:
    schema = json.loads(_core.schema())
    definitions = schema["definitions"]

    def followed(item: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in item:
            item = definitions[item["$ref"].rsplit("/", 1)[1]]
        return item

    def keys_of(item: dict[str, Any]) -> dict[str, str]:
        return {key: v.get("description", followed(v).get("description", "")) for key, v in item["properties"].items()}

    model_keys: dict[str, str] = {}
    types: dict[str, dict[str, tuple[str, dict[str, str]]]] = {}
    keys: dict[str, dict[str, str]] = {}
    single: set[str] = set()
    for name, given in schema["properties"].items():
        item = followed(given)
        is_list = item.get("type") == "array" and followed(item.get("items", {})).get("type", "object") == "object"
        inner = followed(item["items"]) if is_list else item
        choices = [followed(choice) for choice in inner.get("anyOf", [inner])]
        choices = [choice for choice in choices if "properties" in choice]
        if not choices:
            if item.get("type") == "object":  # parameters: any names
                single.add(name)
            else:
                model_keys[name] = given.get("description", "")
        elif any("const" in choice["properties"].get("type", {}) for choice in choices):
            table = types.setdefault(name, {})
            for choice in choices:
                kind = choice["properties"].get("type", {}).get("const", "")
                before = table.get(kind, ("", {}))
                table[kind] = (choice.get("description", ""), {**before[1], **keys_of(choice)})
        else:
            merged: dict[str, str] = {}
            for choice in choices:
                merged.update(keys_of(choice))
            keys[name] = merged
            if not is_list:
                single.add(name)
    commands = {a["command"]: a["name"] for a in json.loads(_core.analyses())}
    return _Sections(model_keys, types, keys, frozenset(single), commands)


# What other programs call them.
_other_words = {
    **dict.fromkeys(("hinge", "pin", "pivot", "rotational", "rotary", "bearing"), "revolute"),
    **dict.fromkeys(("prismatic", "slider", "slide", "linear", "guide"), "translational"),
    **dict.fromkeys(("ball", "ball-joint", "socket"), "spherical"),
    **dict.fromkeys(("weld", "rigid", "lock"), "fixed"),
    **dict.fromkeys(("motor", "rotation"), "angle"),
    **dict.fromkeys(("damper", "spring-damper"), "spring"),
    "torsion-spring": "rotational-spring",
}


def _refuse_unknown(what: str, entries: Mapping[str, Any], known: Mapping[str, str]) -> None:
    wrong = [name for name in entries if name not in known]
    if not wrong:
        return
    near = difflib.get_close_matches(wrong[0], known, 1)
    hint = f"did you mean '{near[0]}'?" if near else ""
    raise ModelError([_usage(f"'{wrong[0]}' of {what}", ", ".join(known), hint, "model.unknown-key")])


def _key(name: str, known: Mapping[str, str]) -> str:
    """``from_`` stands for ``from``, which is a word of Python."""
    return name[:-1] if name.endswith("_") and name not in known and name[:-1] in known else name


def _usage(found: str, expected: str, hint: str = "", id: str = "usage.bad-value") -> Diagnostic:
    return Diagnostic(id, "error", found, expected, hint)


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _text_of(value: Value) -> str:
    return value if isinstance(value, str) else toml.value(value)


def _option_text(value: Any) -> str:
    """An option as the command line would have it."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):  # an integrator with its own options
        name = value["name"]
        return f"{name}:" + ",".join(f"{k}={_option_text(v)}" for k, v in value.items() if k != "name")
    if isinstance(value, (list, tuple)):
        return ",".join(_option_text(v) for v in value)
    return toml.value(value)


def judged(run: Run) -> Run:
    """Raises for a run that failed, warns of one that is doubtful."""
    if run.status == "failed":
        found = [d for d in run.diagnostics if d.severity == "error"] or run.diagnostics
        raise ModelError(found) if first_kind(found) in MODEL_FAULTS else RunError(found, run)
    if run.doubtful:
        words = "; ".join(str(d) for d in run.diagnostics if d.severity == "warning")
        warnings.warn(f"the results are doubtful: {words}", DoubtfulWarning, stacklevel=3)
    return run


__all__ = ["Check", "Effect", "Elements", "Model", "Parameter", "Progress", "load", "loads"]
