// The graph of a loop with the way of the run through it: how often each node was visited, which edges were taken, and
// a slider over the steps. Texts reach the document through textContent alone.
"use strict";
function showLoop(place, walks, { h, s, byId, line, summary, count, open }) {
  const ROW = 40, BOX = 28, WIDE = 182, LANE = 9, SIDE = 16, CORNER = 5, NAME = 21;
  let walk, nodes, edges, slider;

  const titles = walks.map(({ mode, goal }) => `${line(mode, 40)}: ${line(goal, 60)}`);
  const choice = h("select", {}, ...titles.map((title, at) => h("option", { value: at, text: title })));
  const now = h("p", { class: "now", "aria-live": "polite" });
  const recorded = h("ul", { class: "recorded", "aria-label": "Recorded in this step" });
  const picture = h("div", { class: "picture" });
  const tables = h("div", { class: "tables" });
  slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Step of the run" });
  const back = h("button", { type: "button", "aria-label": "Step back", text: "←", click: () => go(-1) });
  const on = h("button", { type: "button", "aria-label": "Step on", text: "→", click: () => go(1) });
  place.append(h("div", { class: "controls" },
    walks.length > 1 ? h("label", {}, "Run ", choice) : null,
    h("div", { class: "steps" }, back, slider, on), now),
  picture, h("div", { class: "more" }, recorded,
    h("p", { class: "hint", text: "Solid: visited or taken up to this step. Dotted: not, or not known." }),
    h("details", {}, h("summary", { text: "As tables, for the whole run" }), tables)));
  choice.addEventListener("change", () => show(Number(choice.value)));
  slider.addEventListener("input", () => update());
  const go = (by) => { slider.value = Number(slider.value) + by; update(); };

  // A path with rounded corners: out of a box, along a lane, into another box.
  function bent(x, across, from, to) {
    const out = Math.sign(across - x), down = Math.sign(to - from), round = Math.min(CORNER, Math.abs(to - from) / 2);
    return `M${x} ${from}H${across - out * round}Q${across} ${from} ${across} ${from + down * round}`
      + `V${to - down * round}Q${across} ${to} ${across - out * round} ${to}H${x + out * 5}`;
  }

  function drawn(edge, left, right) {
    const y = (row) => row * ROW + ROW / 2;
    const [from, to] = [y(edge.from), y(edge.to)];
    if (!edge.lane) {
      const middle = (left + right) / 2, end = to - BOX / 2;
      return [`M${middle} ${from + BOX / 2}V${end - 5}`, `${middle},${end} ${middle - 4},${end - 6} ${middle + 4},${end - 6}`];
    }
    const forward = edge.to > edge.from;
    const [x, sign] = forward ? [right, 1] : [left, -1];
    const end = forward ? to - 5 : to + 5;
    return [bent(x, x + sign * (4 + edge.lane * LANE), forward ? from + 5 : from - 5, end),
      `${x},${end} ${x + sign * 6},${end - 4} ${x + sign * 6},${end + 4}`];
  }

  function show(at) {
    walk = walks[at];
    const lanes = (wanted) => Math.max(0, ...walk.edges.filter(wanted).map(({ lane }) => lane));
    const left = SIDE + LANE * lanes(({ from, to }) => to <= from), right = left + WIDE;
    const width = right + SIDE + LANE * lanes(({ from, to }) => to > from), height = walk.nodes.length * ROW;
    edges = walk.edges.map((edge) => {
      const [path, tip] = drawn(edge, left, right);
      return { ...edge, shape: s("g", { class: "edge" }, s("path", { d: path }), s("polygon", { points: tip })) };
    });
    nodes = walk.nodes.map(({ name, outer }, row) => {
      const middle = row * ROW + ROW / 2, shown = line(name, NAME + 1);
      const times = s("text", { class: "times", x: right - 10, y: middle + 4 });
      const label = shown.length > NAME ? `${shown.slice(0, NAME - 1)}…` : shown;
      const shape = s("g", { class: "stop" }, s("title", { text: line(name, 200) }),
        s("rect", { x: left, y: middle - BOX / 2, width: WIDE, height: BOX, rx: outer ? BOX / 2 : 7 }),
        s("text", { x: left + 12, y: middle + 4, text: label }), times);
      return { name, outer, shape, times };
    });
    const layer = s("g");
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `The graph of ${titles[at]}. The tables say the same.` },
    layer, ...nodes.map(({ shape }) => shape));
    layer.append(...edges.map(({ shape }) => shape));
    picture.replaceChildren(svg);
    slider.max = walk.visits.length - 1;
    slider.value = slider.max;
    tabulate();
    update();
  }

  function counted(step) {
    const visited = nodes.map(() => 0), taken = new Map();
    for (const { node, from } of walk.visits.slice(0, step + 1)) {
      visited[node] += 1;
      if (from !== null) taken.set(`${from} ${node}`, (taken.get(`${from} ${node}`) ?? 0) + 1);
    }
    return { visited, taken };
  }

  function update() {
    const step = Number(slider.value), last = walk.visits.length - 1, visit = walk.visits[step];
    const { visited, taken } = counted(step);
    nodes.forEach(({ shape, times }, at) => {
      shape.setAttribute("class", `stop${visited[at] ? " visited" : ""}${at === visit.node ? " here" : ""}`);
      times.textContent = visited[at] > 1 ? `× ${visited[at].toLocaleString("en")}` : "";
    });
    for (const { shape, from, to } of edges) {
      const used = taken.has(`${from} ${to}`), here = from === visit.from && to === visit.node;
      shape.setAttribute("class", `edge${used ? " taken" : ""}${here ? " here" : ""}`);
    }
    // What was taken lies above what was not.
    const rank = ({ from, to }) => (from === visit.from && to === visit.node ? 2 : taken.has(`${from} ${to}`) ? 1 : 0);
    const layer = edges[0]?.shape.parentNode;
    for (const edge of [...edges].sort((one, other) => rank(one) - rank(other))) layer.append(edge.shape);
    const { name } = walk.nodes[visit.node];
    const source = visit.from === null ? (step ? ", on a way that is not known" : "")
      : `, from ${line(walk.nodes[visit.from].name, 60)}`;
    now.replaceChildren(`Step ${step} of ${last}: `, h("b", { text: line(name, 200) }), source);
    slider.setAttribute("aria-valuetext", `${step} of ${last}: ${line(name, 200)}${source}`);
    [back.disabled, on.disabled] = [step === 0, step === last];
    recorded.replaceChildren(...visit.events.map((id) => byId.get(id)).filter(Boolean).slice(0, 100).map((event) => {
      const told = [h("b", { text: event.kind }), ` ${line(summary(event), 90)}`];
      return h("li", {}, open ? h("button", { type: "button", class: "to", click: () => open(event, true) }, ...told)
        : h("span", {}, ...told));
    }));
    if (!visit.events.length && !nodes[visit.node].outer) recorded.append(h("li", { text: "It recorded nothing." }));
  }

  function tabulate() {
    const { visited, taken } = counted(walk.visits.length - 1);
    const table = (caption, heads, rows) => h("table", {}, h("caption", { text: caption }),
      h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col", text: head })))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", { text: cell }))))));
    const name = (at) => line(walk.nodes[at].name, 200);
    tables.replaceChildren(
      table("Nodes", ["Node", "Visits"], nodes.map((_, at) => [name(at), visited[at]])),
      table("Edges", ["From", "To", "Taken"],
        edges.map(({ from, to }) => [name(from), name(to), taken.get(`${from} ${to}`) ?? 0])));
  }

  show(0);
  const reached = nodes.length - counted(walk.visits.length - 1).visited.filter((times) => !times).length;
  return `${count(walk.visits.length - 1, "step")} through ${reached} of ${count(nodes.length, "node")}`;
}
