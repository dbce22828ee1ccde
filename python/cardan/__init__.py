"""Cardan simulates mechanisms of rigid bodies, joints, drivers and forces.

>>> import cardan
>>> m = cardan.loads('''
... title = "Pendulum"
... gravity = [0, "-9.81 m/s^2"]
... [parameters]
... length = "1 m"
... [[body]]
... name = "bar"
... from = [0, 0]
... to = ["length", 0]
... mass = "1 kg"
... [[joint]]
... type = "revolute"
... name = "pin"
... between = ["ground", "bar"]
... at = [0, 0]
... [[analysis]]
... type = "dynamic"
... until = "1 s"
... ''')
>>> run = m.run(rtol=1e-9)
>>> run.status
'complete'
>>> angle = run["bar.angle"]
>>> angle.unit
'rad'
>>> bool(abs(angle[-1]) < 3.2)
True
"""

from . import ode
from ._core import version as _version
from .comparison import Comparison
from .errors import Diagnostic, DoubtfulWarning, Error, ModelError, RunError
from .model import Effect, Model, load, loads
from .optimise import Optimum, fit, minimise
from .results import Channel, Run, Signal, open, resume
from .sweep import Sweep, open_sweep, resume_sweep, sweep
from .system import System

__version__ = _version()

__all__ = [
    "Channel",
    "Comparison",
    "Diagnostic",
    "DoubtfulWarning",
    "Effect",
    "Error",
    "Model",
    "ModelError",
    "Optimum",
    "Run",
    "RunError",
    "Signal",
    "Sweep",
    "System",
    "fit",
    "load",
    "loads",
    "minimise",
    "ode",
    "open",
    "open_sweep",
    "resume",
    "resume_sweep",
    "sweep",
]
