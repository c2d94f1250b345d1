"""Steps of the optimizer."""

from __future__ import annotations

from .base import Knob, Knobs

N_MINIBATCHES = Knob("n_minibatches", "optimizer steps per batch of rollouts")
N_EPOCHS = Knob("n_epochs", "passes over one batch of rollouts")
TRAIN_BATCH_SIZE = Knob("train_batch_size", "sequences (or prompts: say which) per update")
MINI_BATCH_SIZE = Knob("mini_batch_size", "sequences per optimizer step")
LR = Knob("lr", "actor's learning rate")
CRITIC_LR = Knob("critic_lr", "critic's learning rate")
GRAD_CLIP = Knob("grad_clip", "maximum gradient norm")
GRAD_ACCUM = Knob("grad_accum", "batches accumulated before an optimizer step")
CRITIC_WARMUP = Knob("critic_warmup", "steps in which only the critic is trained")
PLANNED_STEPS = Knob("planned_steps", "training steps that the run is to make")


def optimizer_steps(knobs: Knobs) -> float | None:
    """Optimizer steps on one batch of rollouts; None where it is not known. Passes that are not known count as one."""
    minibatches = knobs.number(N_MINIBATCHES)
    return None if minibatches is None else minibatches * (knobs.number(N_EPOCHS) or 1.0)
