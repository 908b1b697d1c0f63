"""What a model's tokens cost, where it is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from dap_ai.agent.model import Reply


class Price(NamedTuple):
    """Dollars per million tokens."""

    input: float
    cached: float
    output: float


PRICES: Mapping[str, Price] = {
    "gpt-6-astra": Price(10, 1, 50),
    "gpt-6.1-sol": Price(2, 0.10, 10),
    "gpt-6.1-terra": Price(1, 0.05, 5),
    "gpt-6-sol": Price(2, 0.20, 10),
    "gpt-6-luna": Price(0.10, 0.01, 0.50),
    "gpt-5.6-sol": Price(4, 0.40, 20),
    "gpt-5.6-terra": Price(2, 0.20, 12),
    "gpt-5.6-luna": Price(0.20, 0.02, 1.20),
    "gpt-5.5": Price(5, 0.50, 30),
    "gpt-5.4": Price(2.50, 0.25, 15),
    "gpt-5.4-mini": Price(0.75, 0.075, 4.50),
    "gpt-5.4-nano": Price(0.20, 0.02, 1.25),
    "gpt-5.2": Price(1.75, 0.175, 14),
    "gpt-5.1": Price(1.25, 0.125, 10),
    "gpt-5": Price(1.25, 0.125, 10),
    "gpt-5-mini": Price(0.25, 0.025, 2),
    "gpt-5-nano": Price(0.05, 0.005, 0.40),
    "gpt-4.1": Price(2, 0.50, 8),
    "gpt-4.1-mini": Price(0.40, 0.10, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.025, 0.40),
    "gpt-4o": Price(2.50, 1.25, 10),
    "gpt-4o-mini": Price(0.15, 0.075, 0.60),
    "o4-mini": Price(1.10, 0.275, 4.40),
}
"""Standard rates as of November 2026, for prompts of up to 272,000 tokens: from OpenAI's pages, and from public price
tables for models that these do not list."""

_DATE = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")


def price_of(model: str) -> Price | None:
    """The price of a model, also under its dated name or with its provider before it: `openai/gpt-5-2025-08-07`."""
    owner, _, name = model.lower().rpartition("/")
    return PRICES.get(_DATE.sub("", name)) if owner in ("", "openai") else None


def cost_usd(model: str, reply: Reply) -> float:
    """Dollars for one reply; 0 where the price is unknown."""
    price = price_of(model)
    if price is None:
        return 0.0
    fresh = max(0, reply.input_tokens - reply.cached_tokens)
    return (fresh * price.input + reply.cached_tokens * price.cached + reply.output_tokens * price.output) / 1_000_000
