// All scenarios in one process: they share one code-server.
import "./python.scenarios.mjs";
import "./path.scenarios.mjs";
import "./agent.scenarios.mjs";
import "./sessions.scenarios.mjs";
import "./runs.scenarios.mjs";
import "./runview.scenarios.mjs";
import "./live.scenarios.mjs"; // it leaves a recording behind
import "./gallery.scenarios.mjs";
import "./keyboard.scenarios.mjs";
import "./lending.scenarios.mjs";
