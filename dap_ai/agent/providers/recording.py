"""`--record`: a model whose replies are also written to a file, for `scripted` to replay."""

from __future__ import annotations

from dap_ai.agent.model import Model


def recorded(model: Model, file: str) -> Model:
    """The model; each of its replies is added to the file."""
    raise NotImplementedError(file, model)
