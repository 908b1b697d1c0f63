"use strict";
// Text of the run is only ever read here, as textContent; nothing is made from it but ranges to highlight.
(() => {
  const byId = (id) => document.getElementById(id);
  const steps = [...document.querySelectorAll("#steps > details")];
  const search = byId("search");
  const changes = byId("changes");
  const all = byId("all");
  const MAX_MARKS = 2000;
  let texts = null;
  let current = -1;

  const shown = () => steps.filter((step) => !step.hidden);

  function ranges(step, wanted, left) {
    const found = [];
    const walker = document.createTreeWalker(step, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && found.length < left; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      for (let at = text.indexOf(wanted); at >= 0 && found.length < left; at = text.indexOf(wanted, at + wanted.length)) {
        if (at + wanted.length > node.length) break;
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        found.push(range);
      }
    }
    return found;
  }

  function filter() {
    const wanted = search.value.trim().toLowerCase();
    const only = changes.getAttribute("aria-pressed") === "true";
    texts ??= steps.map((step) => step.textContent.toLowerCase());
    const marks = [];
    steps.forEach((step, index) => {
      const matches = !wanted || texts[index].includes(wanted);
      step.hidden = !matches || (only && !step.matches(".k-change, .k-install, .k-submit"));
      if (wanted && !step.hidden) marks.push(...ranges(step, wanted, MAX_MARKS - marks.length));
    });
    if (globalThis.Highlight) CSS.highlights.set("found", new Highlight(...marks));
    const count = shown().length;
    byId("count").textContent = wanted || only ? `${count} of ${steps.length}` : "";
    byId("nothing").hidden = count > 0;
    current = -1;
  }

  function go(by) {
    const visible = shown();
    if (!visible.length) return;
    current = Math.min(Math.max(current + by, 0), visible.length - 1);
    const summary = visible[current].querySelector("summary");
    summary.focus({ preventScroll: true });
    visible[current].scrollIntoView({ block: "nearest" });
  }

  function toggleAll() {
    const open = all.textContent === "Open all";
    for (const step of shown()) step.open = open;
    all.textContent = open ? "Close all" : "Open all";
  }

  function toggleChanges() {
    changes.setAttribute("aria-pressed", String(changes.getAttribute("aria-pressed") !== "true"));
    filter();
  }

  function openTarget() {
    const body = location.hash.length > 1 ? byId(location.hash.slice(1)) : null;
    const step = body?.closest("#steps > details");
    if (!step) return;
    step.hidden = false;
    step.open = true;
    current = shown().indexOf(step);
    step.scrollIntoView({ block: "start" });
    step.querySelector("summary").focus({ preventScroll: true });
  }

  const keys = {
    "/": () => search.focus(),
    j: () => go(1),
    k: () => go(-1),
    o: () => document.activeElement?.closest("#steps > details")?.toggleAttribute("open"),
    a: toggleAll,
    c: toggleChanges,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      search.value = "";
      changes.setAttribute("aria-pressed", "false");
      filter();
      search.blur();
    } else if (document.activeElement !== search && Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    } else if (document.activeElement === search && event.key === "Enter") {
      go(1);
      document.activeElement.closest("details").open = true;
    }
  });
  search.addEventListener("input", filter);
  changes.addEventListener("click", toggleChanges);
  all.addEventListener("click", toggleAll);
  addEventListener("hashchange", openTarget);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#s']");
    if (link && link.hash === location.hash) openTarget();
  });
  const narrow = matchMedia("(max-width: 60rem)");
  if (narrow.matches) document.querySelector("aside details")?.removeAttribute("open");
  openTarget();
})();
