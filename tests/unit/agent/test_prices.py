"""What tokens cost."""

from __future__ import annotations

import pytest

from dap_ai.agent.model import Reply
from dap_ai.agent.prices import PRICES, cost_usd, price_of
from dap_ai.agent.providers.openai import DEFAULT_MODEL

USED = Reply(input_tokens=1_000_000, output_tokens=1_000_000, cached_tokens=400_000)


def test_cached_input_costs_its_own_price():
    price = PRICES["gpt-5-mini"]
    assert cost_usd("gpt-5-mini", USED) == pytest.approx(0.6 * price.input + 0.4 * price.cached + price.output)


@pytest.mark.parametrize("name", ["gpt-5-mini-2025-08-07", "openai/gpt-5-mini", "GPT-5-mini", "gpt-5-mini-20250807"])
def test_a_dated_name_and_one_with_its_provider_cost_the_same(name: str):
    assert price_of(name) == PRICES["gpt-5-mini"]


@pytest.mark.parametrize("name", ["llama3.1", "", "gpt-5-mini-turbo", "somebody/gpt-5-mini", "gpt-5:batch"])
def test_an_unknown_model_costs_nothing(name: str):
    assert cost_usd(name, USED) == 0


def test_the_default_model_has_a_price():
    assert price_of(DEFAULT_MODEL)
