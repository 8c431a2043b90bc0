// What the events of a run mean: in which branch each belongs, how it ended, and what it says in one line. Nothing in
// them is trusted: every field may be missing or of any type. Reads the page's JSON block and touches nothing else.
"use strict";
const run = (() => {
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const array = (value) => (Array.isArray(value) ? value : []);
  const number = (value) => (Number.isFinite(value) ? value : null);
  const text = (value) => typeof value === "string" ? value : value == null ? ""
    : typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
  const line = (value, length = 240) => text(value).slice(0, 4 * length).replace(/\s+/g, " ").trim().slice(0, length);
  const words = (value) => text(value).replaceAll("_", " ");
  const count = (many, one, more = `${one}s`) => `${many.toLocaleString("en")} ${many === 1 ? one : more}`;

  const given = JSON.parse(document.getElementById("data").textContent);
  const events = read(given.events);
  const byId = new Map(events.map((event) => [event.id, event]));
  for (const event of events) {
    event.causes = event.links.map((link) => ({ link, event: byId.get(link.source) }));
    for (const cause of event.causes) cause.event?.effects.push({ link: cause.link, event });
  }
  const start = events.find((event) => event.time !== null)?.time ?? null;
  const ends = outcomes();
  const end = ends.values().next().value;
  const plan = array(end?.data.plan);
  for (const event of events) event.tone = toneOf(event);
  const groups = grouped(events);

  // The outcome of each run that is inside no other, by its goal; a run inside a run has a goal of its own.
  function outcomes() {
    const goals = new Map(), found = new Map();
    let main;
    for (const event of events) {
      const known = event.causes.map(({ event: cause }) => cause && goals.get(cause.id)).find(Boolean);
      const goal = event.kind === "goal" ? event.id : known ?? main;
      goals.set(event.id, goal);
      main ??= goal;
      if (event.kind === "goal" && known === undefined) found.set(goal, undefined);
      if (event.kind === "outcome" && (found.has(goal) || goal === main)) found.set(goal, event);
    }
    return found;
  }

  function read(list) {
    const known = new Map();
    array(list).forEach((event, at) => {
      if (!isObject(event)) return;
      const id = text(event.id) || `event ${at}`;
      const links = array(event.links).filter((link) => isObject(link) && typeof link.source === "string");
      const time = Date.parse(text(event.time));
      known.set(id, { id, at, links, seq: number(event.seq) ?? at, kind: line(event.kind, 40) || "unknown",
        time: number(time), data: isObject(event.data) ? event.data : {}, effects: [], causes: [] });
    });
    const inOrder = [...known.values()].sort((one, other) => one.seq - other.seq || one.at - other.at);
    return inOrder.map((event, index) => Object.assign(event, { index }));
  }

  function toneOf({ kind, data, effects }) {
    const later = effects.find(({ event }) => event.kind === "verdict")?.event.data.status;
    const judged = kind === "attempt" ? data.verdict ?? later : kind === "verdict" ? data.status
      : kind === "outcome" ? data.verdict : null;
    if (judged === "passed" || judged === "failed" || judged === "unverified") return judged;
    if (kind === "outcome") return endOfPlan(data);
    if (kind === "critique" && typeof data.accepted !== "boolean") return "unverified";
    if (kind === "critique") return data.accepted ? "passed" : "failed";
    if (kind === "thought") return data.feedback || data.error || data.truncated ? "failed" : "plain";
    if (data.error || data.ok === false || data.status === "failed") return "failed";
    return data.ok === true ? "passed" : "plain";
  }

  // A plan-act run has no verdict: that its goal is met is the model's own word, and is not shown as a success.
  function endOfPlan(data) {
    const kind = data.stop_reason?.kind;
    if (kind === "cancelled" || kind === "partly_done") return "note";
    if (!["answered", "goal_met", "repeated_plan"].includes(kind)) return "failed";
    // Before there was a kind for it, a run with failed steps ended by `goal_met`.
    return array(data.plan).some((item) => item?.status === "failed") ? "note" : "unverified";
  }

  // A branch is an attempt with everything said about it, or a step of the plan with the replanning after it. A
  // thought belongs with what came of it, so thoughts wait for the next event of another kind.
  function grouped(list) {
    const found = [], unjudged = new Set();
    let waiting = [], current;
    const open = (title, key) => found.push(current = { title, key, events: [], tone: "plain", about: "" });
    const take = (event) => { current.events.push(...waiting, event); waiting = []; };
    open("Start");
    for (const event of inTurn(list, unjudged)) {
      const { kind, data } = event;
      const step = kind === "thought" && isObject(data.decision) && data.step !== undefined ? line(data.step) : null;
      if (kind === "attempt") {
        open(`Attempt ${line(data.number, 12) || "?"}`);
        current.about = [words(data.strategy), line(data.model, 40), data.repeats ? `repeats attempt ${line(data.repeats, 12)}` : ""]
          .filter(Boolean).join(" · ");
        current.tone = event.tone;
      } else if (step !== null && current.key !== `${data.item} ${step}`) {
        open(`Step ${line(data.item, 12)}`, `${data.item} ${step}`);
        current.about = step;
        const { status } = plan[data.item - 1] ?? {};
        current.tone = status === "done" ? "done" : status === "failed" ? "failed" : "plain";
      } else if (kind === "outcome") {
        if (waiting.some((event) => unjudged.has(event))) open("Not judged");
        current.events.push(...waiting);
        waiting = [];
        open("Outcome");
      } else if (kind === "thought" && step === null) {
        waiting.push(event);
        continue;
      } else if (kind === "critique") {
        // What a critic accepts is not verified by that.
        if (data.accepted === false) current.tone = "failed";
        else if (current.tone === "plain") current.tone = "unverified";
      }
      take(event);
    }
    if (waiting.length) {
      if (current.events.some(({ kind }) => kind === "attempt" || kind === "outcome")) open("Under way");
      current.events.push(...waiting);
    }
    for (const group of found) for (const event of group.events) event.group = group;
    return found.filter((group) => group.events.length);
  }

  // Samples that are drawn at once leave their replies before the first attempt of the batch. Each goes with the
  // attempt that it led to; those that led to none stand before the outcome, and are `unjudged`.
  function inTurn(list, unjudged) {
    const found = [], waiting = new Set(), spare = new Set();
    for (const event of list) {
      if (event.kind === "thought") { waiting.add(event); continue; }
      const led = event.kind === "attempt" ? behind(event, [waiting, spare]) : [];
      const first = led.length;
      for (const other of waiting) if (first && other.links.length) spare.add(other); else led.push(other);
      waiting.clear();
      if (event.kind === "outcome") {
        for (const other of spare) { unjudged.add(other); led.push(other); }
        spare.clear();
      }
      found.push(...led.sort((one, other) => one.index - other.index), event);
    }
    return [...found, ...spare, ...waiting];
  }

  // Takes out the replies that led to an event.
  function behind(event, pools) {
    const found = [], left = [event];
    while (left.length) {
      for (const { event: cause } of left.pop().causes) {
        if (pools.some((pool) => pool.delete(cause))) { found.push(cause); left.push(cause); }
      }
    }
    return found;
  }

  // The words come with the page: Python has them for every other way of asking, too.
  const stopWords = (event) => text(given.stops?.[event.id]);

  function outcomeWords() {
    if (ends.size > 1) {
      const tones = [...ends.values()].map((outcome) => outcome?.tone ?? "plain");
      const passed = tones.filter((tone) => tone === "passed").length;
      const worst = ["failed", "unverified", "note", "plain"].find((tone) => tones.includes(tone)) ?? "passed";
      return [worst, `${ends.size} runs`, `${passed} of them passed the check.`];
    }
    if (!end) {
      const decision = events.at(-1)?.data.decision;
      const asks = decision?.status === "ask_user" ? `It waits for an answer: ${line(decision.question)}` : "";
      return ["plain", "Not finished", asks || "Still running, or interrupted."];
    }
    const { verdict } = end.data;
    const failed = plan.filter((item) => item?.status === "failed").length;
    const word = { passed: "Passed", failed: "Failed", unverified: "Unverified" }[verdict]
      ?? { failed: "Stopped", note: failed ? "Finished in part" : "Cancelled" }[end.tone] ?? "Finished, unverified";
    const about = failed ? ` ${count(failed, "step")} of the plan failed.` : "";
    return [end.tone, word, stopWords(end) + about];
  }

  const scored = (score, words) => (number(score) === null ? words : `${Math.round(100 * score)} % · ${words}`);

  function summary(event) {
    const { kind, data, effects } = event;
    const decision = isObject(data.decision) ? data.decision : {};
    const first = (...values) => line(values.find((value) => line(value) !== ""));
    switch (kind) {
      case "goal": return first(data.task);
      case "plan": {
        const steps = array(data.items).map((item) => line(item?.step ?? item, 80));
        return steps.length ? `${count(steps.length, "step")}: ${line(steps.join("; "))}` : "No step left";
      }
      case "thought":
        if (data.truncated) return `Cut off: ${first(data.reply)}`;
        if (data.error || data.feedback) return `Rejected: ${first(data.error, data.feedback)}`;
        if (decision.status === "continue") {
          const { tool, input } = decision.next_action ?? {};
          return first(decision.thought, `Calls ${text(tool)}: ${line(input)}`);
        }
        if (effects.some(({ event }) => event.kind === "plan")) return "Writes the plan";
        return first(decision.question, decision.response, text(data.reply).replace(/^\s*(```|~~~).*$/gm, ""),
          data.reasoning);
      case "action": return `${line(data.tool, 60)}: ${line(data.input)}`;
      case "observation": return `${line(data.tool, 60)} → ${first(data.result)}`;
      case "attempt": return first(data.answer, data.feedback, data.reply);
      case "critique":
        if (typeof data.accepted !== "boolean") return first(data.feedback, "The critique could not be read.");
        return scored(data.score, first(data.feedback, data.accepted ? "Accepted" : "Not accepted"));
      case "verdict": return scored(data.score, first(data.feedback, data.status));
      case "reflection":
        return data.lessons ? `Recalled: ${line(array(data.lessons).map(text).join(" "))}` : first(data.reflection);
      case "outcome": return stopWords(event) || first(data.answer, data.response);
      default: return first(...Object.values(data).filter((value) => typeof value === "string"), data);
    }
  }

  function seconds(value) {
    if (value < 0.1) return `${Math.round(1000 * value)} ms`;
    if (value < 60) return `${value.toFixed(1)} s`;
    const minutes = Math.floor(value / 60);
    if (minutes < 60) return `${minutes} min ${Math.floor(value % 60)} s`;
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }
  const since = (event) => (start === null || event.time === null ? null : (event.time - start) / 1000);
  const tokens = ({ usage }) => (number(usage?.input_tokens) ?? 0) + (number(usage?.output_tokens) ?? 0);

  // What is searched: every text of an event, put together once, when the first search asks for it.
  function haystack(event) {
    if (event.words === undefined) {
      const parts = [event.kind, event.id];
      const collect = (value) => {
        if (typeof value === "string") parts.push(value);
        else if (typeof value === "number") parts.push(String(value));
        else if (value && typeof value === "object") for (const inner of Object.values(value)) collect(inner);
      };
      collect(event.data);
      for (const link of event.links) collect(link.error);
      event.words = parts.join("\n");
    }
    return event.words;
  }

  return { title: line(given.title), totals: given.totals, walks: array(given.walks), onlyLoop: given.only_loop === true, events, byId, start, end, plan, groups, isObject, array, number, text, line, words,
    count, stopWords, outcomeWords, summary, seconds, since, tokens, haystack };
})();
