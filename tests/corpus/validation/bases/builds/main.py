from graph import Cycle, Graph
from workers import Build


def project():
    graph = Graph()
    graph.add("app", 4, "core", "ui")
    graph.add("core", 6, "base")
    graph.add("ui", 3, "base", "icons")
    graph.add("base", 2)
    graph.add("icons", 7)
    graph.add("docs", 5, "base")
    graph.add("test", 3, "app")
    return graph


graph = project()
order = graph.order()
assert order == ["base", "core", "icons", "ui", "app", "docs", "test"]
for task in graph.tasks.values():
    for need in task.needs:
        assert order.index(need) < order.index(task.name)

assert graph.users("base") == ["core", "ui", "docs"]
assert graph.affected(["icons"]) == ["icons", "ui", "app", "test"]
assert sorted(graph.affected(["base", "docs"])) == ["app", "base", "core", "docs", "test", "ui"]

ends = graph.earliest_ends()
assert ends["ui"] == 10
assert ends["app"] == 14
assert graph.critical_path() == ["icons", "ui", "app", "test"]

alone = Build(graph, 1)
assert alone.run() == 30
assert alone.busy_share() == 1.0
alone.reset()
assert not any(task.done for task in graph.tasks.values())

pair = Build(graph, 2)
minutes = pair.run()
assert pair.timeline() == "0:icons 0:base 2:core 7:docs 8:ui 11:app 15:test", pair.timeline()
assert minutes == 18
assert pair.busy_share() == 0.833
pair.reset()
many = Build(graph, 5)
assert many.run() == max(ends.values()) == 17
assert many.timeline().startswith("0:icons 0:base 2:core 2:docs")

graph.tasks["base"].needs.append("app")
try:
    graph.order()
except Cycle as error:
    assert str(error) == "app core base app"
else:
    raise AssertionError("a cycle was ordered")
