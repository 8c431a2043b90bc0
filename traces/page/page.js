// Draws what page_events.js has read. Whatever comes from there reaches the document through textContent alone.
(() => {
  const { events, byId, start, end, plan, groups, isObject, array, number, text, line, words, count, stopWords,
    outcomeWords, summary, seconds, since, tokens, haystack } = run;
  const ROW = 54, HEAD = 40, OVERSCAN = 12, MAX_LANES = 11, MAX_TEXT = 20000;
  const KINDS = ["goal", "plan", "thought", "action", "observation", "attempt", "verdict", "critique", "reflection",
    "outcome"];
  const SIGNS = { passed: "✔", failed: "✘", unverified: "?", note: "!", plain: "" };
  const FIELDS = ["task", "error", "status", "verdict", "accepted", "score", "feedback", "step", "items",
    "decision", "tool", "input", "result", "strategy", "answer", "response", "reflection", "lessons", "stop_reason",
    "plan", "reasoning", "reply", "request"];
  // Shown among the facts, or of no use to a reader.
  const ELSEWHERE = ["usage", "seconds", "event", "key"];
  const LABELS = new Map(Object.entries({ request: "Prompt", items: "Steps", answer: "Answer", input: "Tool input",
    result: "Tool result", stop_reason: "Stop reason", kind_of_failure: "Kind of failure", ok: "Worked" }));
  const BRIEF = new Set(["status", "strategy", "verdict", "kind", "kind_of_failure", "failed_on", "phase", "parser",
    "by", "source"]);
  const ROLES = new Map([["human", "user"], ["ai", "model"]]);
  const $ = (id) => document.getElementById(id);
  const wide = matchMedia("(min-width: 1060px)");

  // ── Building ───────────────────────────────────────────────────────────────────────────────────────────────────
  function put(element, properties, children) {
    for (const [name, value] of Object.entries(properties)) {
      if (name === "text") element.textContent = value;
      else if (name === "click") element.addEventListener("click", value);
      else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }
  const h = (tag, properties = {}, ...children) => put(document.createElement(tag), properties, children);
  const s = (tag, properties = {}, ...children) =>
    put(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);

  // A text with what the search found in it marked.
  function marked(value) {
    const parts = document.createDocumentFragment();
    let from = 0;
    if (state.pattern) for (const match of value.matchAll(state.pattern)) {
      parts.append(value.slice(from, match.index), h("mark", { text: match[0] }));
      from = match.index + match[0].length;
    }
    parts.append(value.slice(from));
    return parts;
  }

  // A summary, or where the search found something else in the event, the words around that.
  function excerpt(event) {
    const shown = summary(event);
    if (!state.pattern || shown.search(state.pattern) >= 0 || !state.hitSet.has(event.index)) return shown;
    const at = Math.max(0, haystack(event).search(state.pattern) - 30);
    return `… ${line(haystack(event).slice(at, at + 240))}`;
  }

  function block(value, shown = MAX_TEXT) {
    const fences = value.slice(0, shown).split(/^ *(?:```|~~~).*$/m);
    const parts = fences.map((part, at) => ({ code: at % 2 === 1, part: part.replace(/^\n|\n$/g, "") }));
    const made = h("div", { class: "text" }, ...parts.filter(({ part }) => part.trim())
      .map(({ code, part }) => h(code ? "pre" : "p", {}, marked(part))));
    if (value.length > shown) made.append(whole(value, () => made.replaceWith(block(value, Infinity))));
    return made;
  }
  // An answer may be code that has lost its fence: lines that are indented give it away.
  const prose = (value) => (/^[ \t]+\S/m.test(value) && !/^ *(```|~~~)/m.test(value) ? codeBlock(value) : block(value));
  function codeBlock(value, shown = 10 * MAX_TEXT) {
    const made = h("div", {}, h("pre", {}, marked(value.slice(0, shown))));
    if (value.length > shown) made.append(whole(value, () => made.replaceWith(codeBlock(value, Infinity))));
    return made;
  }
  const whole = (value, show) => h("button", { type: "button", text: `Show all ${count(value.length, "character")}`, click: show });

  function field(name, value, event) {
    if (name === "request") {
      const turns = array(value).map((turn) => h("div", { class: "turn" },
        h("h4", { text: ROLES.get(turn?.role) ?? line(turn?.role, 40) }), block(text(turn?.content ?? turn))));
      return turns.length ? h("div", {}, ...turns) : block(text(value));
    }
    if ((name === "items" || name === "plan") && Array.isArray(value)) {
      return h("ol", {}, ...value.map((item) => h("li", {}, marked(line(item?.step ?? item, 2000)),
        !item?.status || item.status === "open" ? null
          : h("small", {}, ` ${words(item.status)}: `, marked(line(item.response, 2000))))));
    }
    if (name === "lessons" && Array.isArray(value)) {
      return h("ul", {}, ...value.map((item) => h("li", {}, block(text(item)))));
    }
    if (name === "stop_reason") return block(stopWords(event) || text(value));
    return typeof value === "object" ? codeBlock(text(value)) : prose(text(value));
  }

  function linkList(title, list) {
    if (!list.length) return null;
    const items = list.slice(0, 100).map(({ link, event }) => h("li", {},
      h("span", { class: `relation ${css(link.relation)}`, text: words(link.relation) }), " ",
      !event ? `${line(link.source, 60)}, which is not in this run`
        : h("button", { type: "button", class: "to", click: () => open(event, true) },
          h("b", { text: event.kind }), ` ${line(summary(event), 70)}`)));
    if (list.length > items.length) items.push(h("li", { text: `and ${list.length - items.length} more` }));
    return h("section", {}, h("h3", { text: title }), h("ul", { class: "links" }, ...items));
  }

  const label = (name) => LABELS.get(name) ?? words(name).replace(/^./u, (first) => first.toUpperCase());

  function details(event) {
    const { data, kind, tone } = event;
    const usage = isObject(data.usage) ? data.usage : {};
    const before = events[event.index - 1];
    const facts = [
      ["Tokens", tokens(data) ? `${usage.input_tokens ?? 0} in, ${usage.output_tokens ?? 0} out`
        + (usage.cached_tokens ? `, ${usage.cached_tokens} cached` : "") : ""],
      ["Took", number(data.seconds) === null ? "" : seconds(data.seconds)],
      ["Time", since(event) === null ? "" : `${seconds(since(event))} after the start`
        + (before?.time != null ? `, ${seconds((event.time - before.time) / 1000)} after the event before` : "")],
      ["Recorded", event.time === null ? "" : new Date(event.time).toISOString()],
      ["Id", event.id],
    ].filter(([, value]) => value);
    const filled = (value) => value != null && value !== "" && !(Array.isArray(value) && !value.length);
    const rest = Object.keys(data).filter((name) => ![...FIELDS, ...ELSEWHERE].includes(name));
    const present = [...FIELDS, ...rest].filter((name) => Object.hasOwn(data, name) && filled(data[name]));
    const short = present.filter((name) => BRIEF.has(name) || ["number", "boolean"].includes(typeof data[name]));
    facts.unshift(...short.map((name) => [label(name), words(line(data[name]))]));
    const fields = present.filter((name) => !short.includes(name))
      .map((name) => h("section", {}, h("h3", { text: label(name) }), field(name, data[name], event)));
    return [
      h("div", { class: "top" }, h("h2", {}, sign(tone), ` ${kind}`),
        h("span", { class: "where", text: event.group.title }),
        h("button", { type: "button", class: "close", "aria-label": "Close details", text: "×", click: close })),
      ...fields, linkList("Comes from", event.causes), linkList("Leads to", event.effects),
      h("dl", { class: "facts" },
        ...facts.flatMap(([name, value]) => [h("dt", { text: name }), h("dd", { text: value })])),
    ].filter(Boolean);
  }

  // Beside the list, while no event is open: what came of it all.
  function overview() {
    const best = end ? text(end.data.answer ?? end.data.response) : "";
    const hint = "Choose an event to read it in full: with a click, or with the arrow keys and Enter.";
    return [h("h2", { text: end ? "The answer" : "No answer yet" }),
      best ? prose(best) : h("p", { class: "hint", text: end ? "There is none." : "The run has not come to its end." }),
      h("p", { class: "hint", text: hint })];
  }

  const sign = (tone) => h("span", { class: `sign ${tone}`, role: "img", text: SIGNS[tone] ?? "●",
    "aria-label": tone === "plain" ? "" : tone });
  const RELATIONS = ["led_to", "verified", "failed", "revised", "retried", "learned_from"];
  const css = (relation) => (RELATIONS.includes(relation) ? relation : "led_to");

  // ── State and layout ───────────────────────────────────────────────────────────────────────────────────────────
  const state = { kinds: new Set(), failures: false, pattern: null, hits: [], hitSet: new Set(), active: null,
    opened: null, all: false };
  const kinds = [...new Set(events.map((event) => event.kind))];
  kinds.sort((one, other) => (KINDS.indexOf(one) + 1 || 99) - (KINDS.indexOf(other) + 1 || 99));
  const lanes = new Map(kinds.map((kind, at) => [kind, Math.min(at, MAX_LANES - 1)]));
  let rows = [], shown = [], total = 0, drawn = "";

  function layout() {
    rows = []; shown = []; total = 0;
    for (const group of groups) {
      const visible = group.events.filter((event) => (!state.kinds.size || state.kinds.has(event.kind))
        && (!state.failures || event.tone === "failed"));
      if (!visible.length) continue;
      rows.push({ y: total, group });
      total += HEAD;
      for (const event of visible) {
        rows.push({ y: total, event });
        Object.assign(event, { y: total, place: shown.push(event) });
        total += ROW;
      }
    }
    const set = new Set(shown);
    for (const event of events) if (!set.has(event)) event.place = 0;
    state.hits = state.pattern ? shown.filter((event) => haystack(event).search(state.pattern) >= 0) : [];
    state.hitSet = new Set(state.hits.map((event) => event.index));
    $("nothing").hidden = shown.length > 0;
    $("list").style.height = `${total}px`;
    draw(true);
  }

  // Only what is on the screen is in the document, so that 2,000 events are as quick as ten.
  function draw(anew = false) {
    const list = $("list"), top = -list.getBoundingClientRect().top;
    const around = state.all ? Infinity : OVERSCAN * ROW;
    const low = top - around, high = top + innerHeight + around;
    const seen = rows.filter((row) => row.y + ROW > low && row.y < high);
    const key = `${seen[0]?.y} ${seen.length}`;
    if (!anew && key === drawn) return;
    drawn = key;
    list.replaceChildren(graph(seen), ...seen.map((row) => (row.group ? groupRow(row) : eventRow(row))));
    const { active } = state;
    const name = active?.place ? `event-${active.index}` : "";
    if (name && $(name)) list.setAttribute("aria-activedescendant", name);
    else list.removeAttribute("aria-activedescendant");
  }

  function groupRow({ group, y }) {
    const made = h("div", { class: "group", role: "presentation" }, h("b", { text: group.title }),
      group.tone === "plain" ? null
        : h("span", { class: `tag ${group.tone}`, text: `${SIGNS[group.tone] ?? "●"} ${group.tone}` }),
      h("span", { class: "about" }, marked(group.about)));
    made.style.transform = `translateY(${y}px)`;
    return made;
  }

  function eventRow({ event, y }) {
    const shownText = excerpt(event);
    const used = tokens(event.data), took = number(event.data.seconds), after = since(event);
    const meta = [used ? `${used.toLocaleString("en")} tok` : "", took === null ? "" : seconds(took),
      after === null ? "" : `+${seconds(after)}`];
    const judged = event.tone === "plain" ? "" : `, ${event.tone}`;
    const found = state.pattern ? (state.hitSet.has(event.index) ? " hit" : " miss") : "";
    const made = h("div", { class: `row${found}${event === state.active ? " active" : ""}`, id: `event-${event.index}`,
      role: "option", "data-index": event.index, "aria-selected": String(event === state.opened),
      "aria-setsize": shown.length, "aria-posinset": event.place,
      "aria-label": `${event.kind}${judged}, ${event.group.title}: ${shownText}` },
      h("div", { class: "kind" }, sign(event.tone), h("b", { text: event.kind }),
        h("span", { class: "meta", text: meta.filter(Boolean).join("  ·  ") })),
      h("div", { class: "summary" }, marked(shownText)));
    made.style.transform = `translateY(${y}px)`;
    return made;
  }

  let lane = 46;
  const x = (event) => 8 + lane * (lanes.get(event.kind) + 0.5);
  const y = (event) => event.y + ROW / 2;

  function graph(seen) {
    const list = seen.filter((row) => row.event).map((row) => row.event);
    const [first, last] = [seen[0]?.y ?? 0, (seen.at(-1)?.y ?? 0) + ROW];
    const picture = s("svg", { "aria-hidden": "true", width: gutter(), height: last - first,
      viewBox: `0 ${first} ${gutter()} ${last - first}` });
    picture.style.top = `${first}px`;
    const lines = s("g"), labels = s("g", { class: "labels" });
    for (const event of shown) for (const { link, event: cause } of event.causes) {
      if (!cause?.place || cause === event) continue;
      if (Math.max(event.y, cause.y) < first || Math.min(event.y, cause.y) > last) continue;
      const on = event === state.active || cause === state.active;
      const name = `${css(link.relation)}${on ? " on" : ""}`;
      lines.append(s("path", { class: name, d: curve(cause, event) }));
      // What led to what is the rule, and is named for the chosen event alone.
      if (!on && link.relation === "led_to") continue;
      const far = Math.abs(y(event) - y(cause)) > 3 * ROW;
      const across = far ? x(event) : (x(event) + x(cause)) / 2;
      const down = far ? y(event) - 0.7 * ROW : (y(event) + y(cause)) / 2;
      labels.append(s("text", { class: name, x: Math.max(34, Math.min(gutter() - 34, across)), y: down + 3,
        text: line(words(link.relation), 24) }));
    }
    const nodes = list.map((event) => s("g",
      { class: `node ${event.tone}${event === state.active ? " on" : ""}`, "data-index": event.index },
      s("circle", { cx: x(event), cy: y(event), r: event.tone === "plain" ? 6 : 9 }),
      s("text", { x: x(event), y: y(event) + 4, text: SIGNS[event.tone] })));
    picture.append(lines, labels, ...nodes);
    return picture;
  }

  const gutter = () => 16 + lane * Math.min(kinds.length, MAX_LANES);
  function curve(from, to) {
    const [x1, y1, x2, y2] = [x(from), y(from), x(to), y(to)];
    const bend = Math.min(Math.abs(y2 - y1) / 2, 70) * Math.sign(y2 - y1);
    const aside = x1 === x2 && Math.abs(y2 - y1) > ROW + HEAD ? 18 : 0;
    return `M${x1} ${y1}C${x1 + aside} ${y1 + bend} ${x2 + aside} ${y2 - bend} ${x2} ${y2}`;
  }

  function drawLanes() {
    const room = Math.floor(($("run").clientWidth - 16) / Math.min(kinds.length || 1, MAX_LANES));
    lane = Math.max(24, Math.min(46, room));
    document.documentElement.style.setProperty("--gutter", `${gutter()}px`);
    document.documentElement.style.setProperty("--tools", `${$("tools").offsetHeight}px`);
    $("lanes").replaceChildren(...kinds.slice(0, MAX_LANES).map((kind, at) => {
      const rest = at === MAX_LANES - 1 && kinds.length > MAX_LANES;
      const label = h("span", { class: at % 2 ? "low" : "", text: rest ? "other" : line(kind, 13) });
      label.style.left = `${8 + lane * (at + 0.5)}px`;
      return label;
    }));
  }

  // ── Choosing ───────────────────────────────────────────────────────────────────────────────────────────────────
  function reach(event) {
    const from = $("list").getBoundingClientRect().top + scrollY + event.y;
    const above = $("tools").offsetHeight + $("lanes").offsetHeight + HEAD;
    if (from < scrollY + above) scrollTo({ top: from - above - 8 });
    else if (from + ROW > scrollY + innerHeight) scrollTo({ top: from + 2 * ROW - innerHeight });
  }

  function activate(event, follow = state.opened !== null && wide.matches) {
    state.active = event;
    reach(event);
    if (follow) open(event);
    else draw(true);
  }

  function open(event, focus = false) {
    if (!event.place) { state.kinds.clear(); state.failures = false; layout(); pressed(); }
    state.active = state.opened = event;
    remember(`#${encodeURIComponent(event.id)}`);
    $("details").replaceChildren(...details(event));
    document.body.classList.add("open");
    $("details").scrollTop = 0;
    reach(event);
    draw(true);
    if (focus) $("details").focus({ preventScroll: true });
    const mark = $("details").querySelector("mark");
    const down = (element) => element.getBoundingClientRect().top;
    if (mark && wide.matches) $("details").scrollTop = down(mark) - down($("details")) - 80;
  }

  function close() {
    state.opened = null;
    document.body.classList.remove("open");
    $("details").replaceChildren(...overview());
    remember("");
    draw(true);
    $("list").focus({ preventScroll: true });
  }

  // In the frame of a notebook there is no address to change.
  function remember(hash) {
    try {
      history.replaceState(null, "", hash || location.pathname + location.search);
    } catch { /* see above */ }
  }

  function fromAddress() {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* as it stands */ }
    if (byId.has(id)) open(byId.get(id));
  }

  function search() {
    const query = $("query").value.trim();
    try {
      state.pattern = query ? new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu") : null;
    } catch { state.pattern = null; }
    layout();
    showHits();
  }

  function showHits() {
    const at = state.hits.indexOf(state.active);
    const found = `${at >= 0 ? `${at + 1} of ` : ""}${state.hits.length}`;
    $("hits").textContent = !state.pattern ? "" : state.hits.length ? found : "no match";
    $("previous").disabled = $("next").disabled = !state.hits.length;
  }

  function step(direction) {
    if (!state.hits.length) return;
    const from = state.active?.index ?? -1;
    const ahead = direction > 0 ? state.hits.find((hit) => hit.index > from) ?? state.hits[0]
      : state.hits.findLast((hit) => hit.index < from) ?? state.hits.at(-1);
    activate(ahead, wide.matches);
    showHits();
  }

  function pressed() {
    for (const chip of $("chips").children) {
      const { kind } = chip.dataset;
      chip.setAttribute("aria-pressed", String(kind === undefined ? state.failures : state.kinds.has(kind)));
    }
  }

  function refilter() { layout(); pressed(); showHits(); if (state.active?.place) reach(state.active); }

  const KEYS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
  $("list").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && state.active?.place) { event.preventDefault(); open(state.active, true); }
    if (!Object.hasOwn(KEYS, event.key) || !shown.length) return;
    event.preventDefault();
    const at = state.active?.place ? state.active.place - 1 : KEYS[event.key] > 0 ? -1 : 0;
    activate(shown[Math.max(0, Math.min(shown.length - 1, at + KEYS[event.key]))]);
  });
  $("list").addEventListener("click", (event) => {
    const row = event.target.closest("[data-index]");
    if (row) open(events[row.dataset.index], !wide.matches);
  });
  addEventListener("keydown", (event) => {
    const searching = document.activeElement === $("query");
    if (event.key === "Escape" && searching) {
      $("query").value = "";
      search();
      $("list").focus({ preventScroll: true });
    } else if (event.key === "Escape" && state.opened) {
      close();
    } else if (event.key === "/" && !searching) {
      event.preventDefault();
      $("query").focus();
    }
  });
  $("query").addEventListener("input", search);
  $("query").addEventListener("keydown", (event) => { if (event.key === "Enter") step(event.shiftKey ? -1 : 1); });
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("all").addEventListener("click", () => { state.kinds.clear(); state.failures = false; refilter(); });
  $("views").addEventListener("click", ({ target }) => {
    if (!target.dataset.view) return;
    document.querySelector("main").dataset.view = target.dataset.view;
    for (const button of $("views").children) button.setAttribute("aria-pressed", String(button === target));
    draw(true);
  });
  addEventListener("hashchange", fromAddress);
  addEventListener("scroll", () => requestAnimationFrame(() => draw()), { passive: true });
  // A frame that is shown anew while its run goes on stays with the newest event, until its reader does anything.
  let following = !end && parent !== window;
  for (const name of ["pointerdown", "keydown", "wheel"]) {
    addEventListener(name, () => { following = false; }, { capture: true, passive: true });
  }
  // Of the list and not of the window, because a frame may run this before it has a size.
  new ResizeObserver(() => {
    drawLanes();
    if (following && shown.length) activate(shown.at(-1), false);
    else draw(true);
  }).observe($("run"));
  // Paper has no scroll bar: all rows are put into the document before printing.
  addEventListener("beforeprint", () => { state.all = true; draw(true); });
  addEventListener("afterprint", () => { state.all = false; draw(true); });

  // ── The page ───────────────────────────────────────────────────────────────────────────────────────────────────
  function head() {
    const goal = text(events.find((event) => event.kind === "goal")?.data.task) || "No goal was recorded";
    const when = start === null ? "" : `${new Date(start).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    $("about").textContent = [run.title, when, count(events.length, "event")].filter(Boolean).join("  ·  ");
    const [first, ...more] = goal.trim().split(/\n\s*\n/);
    $("goal").append(first, ...(more.length ? [h("span", { text: `\n${more.join("\n\n")}` })] : []));
    const [tone, word, why] = outcomeWords();
    $("verdict").className = tone;
    $("verdict").append(sign(tone), h("b", { text: word }), h("span", { text: why }));
    const figures = run.totals;
    const totals = [
      figures.attempts ? ["Attempts", figures.attempts] : null,
      figures.tool_calls ? ["Tool calls", figures.tool_calls] : null,
      plan.length ? ["Steps done", `${plan.filter((item) => item?.status === "done").length} of ${plan.length}`] : null,
      ["Tokens in", figures.input_tokens], ["Tokens out", figures.output_tokens], ["Cached", figures.cached_tokens],
      figures.seconds === null ? null : ["Time", seconds(figures.seconds)],
    ].filter(Boolean);
    $("totals").append(...totals.map(([name, value]) =>
      h("div", {}, h("dt", { text: name }), h("dd", { text: value.toLocaleString("en") }))));
    $("more").hidden = $("goal").scrollHeight <= $("goal").clientHeight + 2;
    $("more").addEventListener("click", () => {
      const all = $("goal").classList.toggle("all");
      $("more").setAttribute("aria-expanded", String(all));
      $("more").textContent = all ? "Show less" : "Show all of it";
    });
  }

  function chips() {
    const failed = events.filter((event) => event.tone === "failed").length;
    const chip = (name, many, properties, press) =>
      h("button", { type: "button", "aria-pressed": "false", ...properties, click: () => { press(); refilter(); } },
        name, " ", h("span", { text: many.toLocaleString("en") }));
    const toggle = (kind) => () => { if (!state.kinds.delete(kind)) state.kinds.add(kind); };
    const many = (kind) => events.filter((event) => event.kind === kind).length;
    $("chips").append(
      chip("✘ failures only", failed, { class: "failures" }, () => { state.failures = !state.failures; }),
      ...kinds.map((kind) => chip(kind, many(kind), { "data-kind": kind }, toggle(kind))));
    const relations = new Set(events.flatMap((event) => event.links.map((link) => css(link.relation))));
    const drawn = RELATIONS.filter((name) => relations.has(name));
    $("legend").append(...drawn.map((name) => h("li", { class: name, text: words(name) })));
  }

  function loop() {
    if (!run.walks.length) return;
    const helpers = { h, s, byId, line, summary, count, open: run.onlyLoop ? null : open };
    $("loop-about").textContent = showLoop($("loop-view"), run.walks, helpers);
    $("loop").hidden = false;
    $("loop").open = run.onlyLoop;
    document.body.classList.toggle("only-loop", run.onlyLoop);
  }

  head();
  loop();
  chips();
  drawLanes();
  layout();
  $("details").replaceChildren(...overview());
  fromAddress();
})();
