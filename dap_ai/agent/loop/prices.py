"""What a model's tokens cost, where it is known. The only owner of genai-prices, which the extra `prices` brings.

Its table comes with the package and is never fetched: a new price comes with a new release of it.
"""

from __future__ import annotations

from dap_ai.agent.model_port import Reply
from dap_ai.system.extras import PRICES, MissingExtraError


def cost_usd(model: str, reply: Reply) -> float:
    """Dollars for one reply; 0 where the price is unknown, or the extra is not installed.

    `openai/gpt-5` costs what `gpt-5` does, other names with their provider before them what OpenRouter takes. The first
    call imports for a fifth of a second.
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
