"""AReaL 0.1 to 1.0.4: what its keys measure, where its settings stand."""

from __future__ import annotations

from ..base import Framework
from .blind import blind
from .enables import ENABLES
from .normalise import normalise
from .readings_batch import BATCH, CRITIC, ROLLOUT, TIMES
from .readings_flat import FLAT_READINGS
from .readings_update import UPDATE
from .settings import CODE_KNOBS, KNOB_PATHS
from .signs import DECISIVE, TYPICAL, infer, intermittent
from .truncation import TRUNCATION
from .versions import caveats, recognise_config, version_of

AREAL = Framework(
    name="areal",
    title="AReaL",
    readings=(*ROLLOUT, *BATCH, *TRUNCATION, *UPDATE, *CRITIC, *TIMES, *FLAT_READINGS),
    decisive=DECISIVE,
    typical=TYPICAL,
    knob_paths=KNOB_PATHS,
    code_knobs=CODE_KNOBS,
    normalise=normalise,
    intermittent=intermittent,
    version_of=version_of,
    recognise_config=recognise_config,
    infer=infer,
    blind=blind,
    enables=ENABLES,
    caveats=caveats,
)

__all__ = ["AREAL"]
