"""Prices of models' tokens. Only this module uses genai-prices, which the extra `prices` installs.

The price table is part of that package and is never downloaded: new prices need a new release of the package.
"""

from __future__ import annotations

from dap_ai.agent.model_port import Reply
from dap_ai.system.extras import PRICES, MissingExtraError


def cost_usd(model: str, reply: Reply) -> float:
    """Returns the price of one reply in dollars; 0 if the price is unknown or the extra is not installed.

    `openai/gpt-5` has the price of `gpt-5`; other names with a provider prefix have OpenRouter's price. The first call
    takes 0.2 s for an import.
    """
    try:
        library = PRICES.load("genai_prices")
    except MissingExtraError:
        return 0.0
    owner, _, name = model.rpartition("/")
    provider, name = ("openai", name) if owner in ("", "openai") else ("openrouter", model)
    read = max(0, reply.input_tokens)
    cached = min(read, max(0, reply.cached_tokens))
    used = library.Usage(input_tokens=read, cache_read_tokens=cached, output_tokens=max(0, reply.output_tokens))
    try:
        return float(library.calc_price(used, name, provider_id=provider).total_price)
    except LookupError:
        return 0.0
