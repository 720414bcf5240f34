// --- the details of what is chosen ---

const detail = byId("detail");

const VERDICTS = {
  mention: "counts",
  masked: "inside code",
  no_opener: "no space before it",
  no_name: "no name follows",
  unknown: "nobody's name",
  ambiguous: "several have this name",
  self: "the author itself",
  quiet: "named already",
  not_a_seat: "not a seat",
  cannot_read: "cannot read this",
};

function showDetail() {
  const item = state.view?.items[state.chosen];
  detail.hidden = !state.open || item === undefined;
  document.body.classList.toggle("with-detail", !detail.hidden);
  if (detail.hidden) return;
  fill(detail, detailHead(item), state.view.wrong.has(state.chosen) && detailMismatches(), detailParts(item));
  detail.scrollTop = 0;
}

function detailHead(item) {
  const { view } = state;
  return el("header", { class: "detail-head" },
    el("h2", { id: "detail-title", tabindex: "-1" }, view.name(item)),
    el("button", { type: "button", class: "quiet", "aria-label": "Close the details", onclick: closeDetail }, "×"));
}

function detailMismatches() {
  const found = state.view.wrong.get(state.chosen);
  return section("Not as expected", found.map((mismatch) => mismatchBlock(mismatch, state.view, false)));
}

const section = (title, ...children) => el("section", null, el("h3", null, title), children);

function detailParts(item) {
  const { view } = state;
  const row = view.row(item);
  const did = view.did(item);
  const parts = [facts(item, row)];
  if (row) {
    parts.push(el("div", { class: "full-text", dir: "auto" }, markedText(view, item, state.query)));
    if (row.notes) parts.push(notesList(row));
    parts.push(decision(item, row));
  } else if (item.what === "stub") {
    parts.push(el("p", { class: "why" }, `${counted(item.messages, "message")} that only those named above may read.`));
  } else {
    const text = briefOf(view, item);
    if (text) parts.push(el("p", { class: "why" }, bdi(text)));
  }
  if (item.routing) parts.push(routingTable(item.routing));
  parts.push(links(item, row));
  const calls = did?.calls ?? item.calls ?? (item.call ? [item.call] : null);
  if (did || calls) parts.push(turnSection(did, calls || [], row));
  return parts;
}

function facts(item, row) {
  const { view } = state;
  const lane = view.lane(item);
  const list = [["From", nameOf(lane)]];
  if (row) list.push(["To", row.to ? `an aside: only ${row.to.join(", ")}, and people` : "the whole desk"]);
  if (item.what === "stub") list.push(["To", `an aside: only ${item.to.join(", ")}, and people`]);
  if (row) list.push(["Kind", KIND_NAMES[row.kind] ?? words(row.kind)]);
  if (item.turn !== undefined) {
    const hop = item.hop === undefined ? "" : ` · hop ${item.hop}`;
    list.push(["Turn", `${item.turn}${item.attempt ? ` · attempt ${item.attempt}` : ""}${hop}`]);
  }
  const outcome = view.outcome(item);
  if (outcome && item.what !== "row") list.push(["Outcome", OUTCOMES[outcome] ?? words(outcome)]);
  const line = view.about.lines?.[state.chosen];
  if (line) list.push(["In the file", `line ${line}`]);
  return el("dl", { class: "facts" }, list.map(([term, value]) => el("div", null, el("dt", null, term), el("dd", null, bdi(value)))));
}

const nameOf = (lane) => (lane.label ? `${lane.name} (${lane.label})` : lane.name);

function notesList(row) {
  const items = row.notes.map((note, number) =>
    el("li", { class: note.decided ? "decided" : note.verdict === "mention" ? "counts" : "idle" },
      el("code", null, bdi(row.text[2 * number + 1])), " ",
      el("strong", null, note.decided ? "decides" : VERDICTS[note.verdict] ?? words(note.verdict)),
      el("span", { class: "why" }, bdi(note.why))));
  return section("Each @", el("ol", { class: "notes" }, items));
}

function decision(item, row) {
  const list = [];
  if (row.kind !== "wrote" && (row.next || row.none)) {
    list.push(el("p", null, row.next ? ["→ ", el("strong", null, bdi(row.next.join(", ")))] : el("strong", null, "nobody")));
  }
  if (row.why) list.push(el("p", { class: "why" }, bdi(row.why)));
  if (row.completes) list.push(el("p", null, "It completes the author's work."));
  if (row.refusal) list.push(el("p", null, `It was meant to be private, which was declined: ${words(row.refusal)}.`));
  return list.length ? section("Who is next, and why", list) : null;
}

function routingTable(routing) {
  const rows = routing.scores.map(([seat, score, isChosen]) =>
    el("tr", { class: isChosen ? "won" : null },
      el("th", { scope: "row" }, bdi(seat)), el("td", { class: "n" }, String(Number(score.toPrecision(4)))),
      el("td", null, isChosen ? "chosen" : "")));
  return section("Scores of the router",
    el("table", { class: "scores" },
      el("thead", null, el("tr", null, ["Seat", "Score", "Choice"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", null, rows)),
    el("p", { class: "why" }, `The best, and others above ${routing.above.toFixed(2)}, at most ${counted(routing.width, "seat")}.`));
}

function links(item, row) {
  const { view } = state;
  const list = [];
  if (item.trigger !== undefined) list.push(["Came from", [view.atRow.get(item.trigger)]]);
  const last = item.through ?? item.seq;
  const led = [];
  const settles = [];
  for (let seq = item.seq; seq <= last; seq++) led.push(...(view.led.get(seq) || []));
  if (item.seq !== undefined) settles.push(...(view.settles.get(item.seq) || []));
  list.push(["Led to", led], ["Settles", settles]);
  const settled = item.settled ?? row?.settled;
  if (settled !== undefined) list.push(["Settled by", [view.atRow.get(settled)]]);
  if (item.what === "row" && item.turn !== undefined) list.push(["In the same turn", sameTurn(item)]);
  const shown = list.map(([title, places]) => [title, places.filter((place) => place !== undefined && place !== state.chosen)]);
  const items = shown.filter(([, places]) => places.length > 0).map(([title, places]) =>
    el("div", null, el("dt", null, title), el("dd", null, places.slice(0, 50).map((place) => itemLink(place)))));
  const aside = row?.to && settled === undefined ? el("p", { class: "why" }, "This aside is not settled.") : null;
  items.push(el("div", null, el("dt", null, "Address"), el("dd", null, el("a", { href: route(targetOf(item)) }, route(targetOf(item))))));
  return section("Links", el("dl", { class: "facts links" }, items), aside);
}

function sameTurn(item) {
  const { view } = state;
  return [-2, -1, 1, 2].map((step) => state.chosen + step).filter((place) => {
    const other = view.items[place];
    return other !== undefined && other.turn === item.turn && other.what === "row";
  });
}

function itemLink(place) {
  const item = state.view.items[place];
  return el("a", { href: route(targetOf(item)), "data-place": place },
    `${state.view.name(item)} · `, bdi(state.view.lane(item).name));
}

// --- the turn ---

function turnSection(did, calls, row) {
  const list = calls.map((call, number) => callBlock(call, number, row));
  const replies = did?.replies || [];
  const parts = [];
  if (list.length) parts.push(el("ol", { class: "calls" }, list));
  else if (replies.length) parts.push(el("p", null, `Replies: ${replies.map(words).join(", ")}`));
  else parts.push(el("p", { class: "why" }, "No call."));
  if (did?.more) parts.push(el("p", { class: "why" }, `And ${counted(did.more, "call")} more that were only counted.`));
  if (did?.error) parts.push(titled("Raised", did.error, "bad"));
  if (did?.text) parts.push(titled("Text outside the calls, which reaches nobody", did.text));
  if (did?.wrote) parts.push(titled("Files left behind", did.wrote.join("\n")));
  return section("Calls of the turn", parts);
}

const titled = (title, text, kind) =>
  el("div", { class: `quoted ${kind ?? ""}` }, el("p", { class: "side-title" }, title), el("p", { class: "side-text", dir: "auto" }, text));

function callBlock(call, number, row) {
  const isOk = call.reply === "ok";
  const reply = el("span", { class: `tag ${isOk ? "good" : "warn"}` }, isOk ? "ok" : words(call.reply));
  const given = call.arguments.map(([name, value]) => el("div", null,
    el("dt", null, bdi(name)), el("dd", { dir: "auto" }, value ?? el("em", null, "the text of this row"))));
  return el("li", null,
    el("p", { class: "call" }, el("code", null, bdi(call.tool)), " ", reply,
      call.late && [" ", el("span", { class: "tag warn" }, "late")],
      call.fence && [" ", el("span", { class: "tag mild" }, "read from text")]),
    given.length > 0 && el("dl", { class: "arguments" }, given));
}
