"""Cost of a model's answer at the prices of the day it is recorded, if the model's price is known."""

from __future__ import annotations

from dap_ai.debuggees.runs.run_model import TokenUsage
from dap_ai.system.extras import PRICES, MissingExtraError


def cost_usd(url: str, model: str, used: TokenUsage | None) -> float | None:
    """Return dollars; None if the price or the tokens are unknown, or the extra `prices` is not installed."""
    if used is None or not model or used.input_tokens is None or used.output_tokens is None:
        return None
    try:
        library = PRICES.load("genai_prices")
    except MissingExtraError:
        return None
    cached = min(used.cached_tokens or 0, used.input_tokens)
    tokens = library.Usage(input_tokens=used.input_tokens, cache_read_tokens=cached, output_tokens=used.output_tokens)
    try:
        return float(library.calc_price(tokens, model, provider_api_url=url).total_price)
    except (LookupError, ValueError):
        return None
