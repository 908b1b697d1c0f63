"""What tokens cost."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dap_ai.agent.loop.prices import cost_usd
from dap_ai.agent.model_port import Reply
from dap_ai.agent.providers.openai import DEFAULT_MODEL
from tests.patience import patient

USED = Reply(input_tokens=1_000_000, output_tokens=1_000_000, cached_tokens=400_000)
GPT_5_MINI = 0.6 * 0.25 + 0.4 * 0.025 + 2.0
"""Dollars for USED, by OpenAI's own page."""


def test_cached_input_costs_its_own_price():
    assert cost_usd("gpt-5-mini", USED) == pytest.approx(GPT_5_MINI)


@pytest.mark.parametrize("name", ["gpt-5-mini-2025-08-07", "openai/gpt-5-mini", "GPT-5-mini", "gpt-5-mini-20250807"])
def test_a_dated_name_and_one_with_its_provider_cost_the_same(name: str):
    assert cost_usd(name, USED) == pytest.approx(GPT_5_MINI)


def test_a_model_of_another_provider_costs_what_openrouter_takes():
    assert cost_usd("anthropic/claude-sonnet-4.5", USED) > 0


@pytest.mark.parametrize("name", ["llama3.1", "", "/", "gpt-5-mini-turbo", "somebody/gpt-5-mini", "gpt-5:batch"])
def test_an_unknown_model_costs_nothing(name: str):
    assert cost_usd(name, USED) == 0


@pytest.mark.parametrize(("read", "cached", "written"), [(10, 400, 5), (-10, 5, 5), (10, -4, -5)])
def test_tokens_that_an_endpoint_counts_wrong_have_a_price_all_the_same(read: int, cached: int, written: int):
    assert cost_usd("gpt-5-mini", Reply(input_tokens=read, cached_tokens=cached, output_tokens=written)) > 0


def test_the_default_model_has_a_price():
    assert cost_usd(DEFAULT_MODEL, USED) > 0


def test_without_the_extra_there_is_no_price(without_modules):
    without_modules("genai_prices")
    assert cost_usd("gpt-5-mini", USED) == 0


def test_the_table_is_read_at_the_first_price_and_nothing_is_fetched():
    code = (
        "import sys, dap_ai.agent.loop.investigate; from dap_ai.agent.loop.prices import cost_usd; from dap_ai.agent.model_port import Reply;"
        "before = 'genai_prices' in sys.modules;"
        "sys.addaudithook(lambda name, _: name.startswith('socket.') and sys.exit(name));"
        "print(before, cost_usd('gpt-5', Reply(output_tokens=10)) > 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=patient(30), check=True)
    assert done.stdout.split() == ["False", "True"]
