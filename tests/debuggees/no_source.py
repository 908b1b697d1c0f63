"""Fails in code that was never in a file."""

TEMPLATE = "def render(order):\n    title = order['title']\n    return title.upper() + order['sub']\n"

scope = {}
exec(compile(TEMPLATE, "<template>", "exec"), scope)
print(scope["render"]({"title": "tea"}), flush=True)  # @bp
