// --- what the run came to: above the lanes ---

const MOST_MISMATCHES = 20;

function showSummary() {
  const { view } = state;
  const { run, about } = view;
  fill(byId("summary"),
    about.damage && el("p", { class: "notice bad", role: "note" },
      el("strong", null, "The journal is damaged. "), bdi(about.damage), ". What stands before it is shown."),
    el("p", { class: "lead" }, outline(view)),
    (about.closed || about.failure) && el("p", { class: "why" }, `Closed: ${words(about.closed)}`,
      about.closed_why && `, because ${about.closed_why}`, about.failure && bdi(`: ${about.failure}`), "."),
    about.unused && el("p", { class: "why" }, `Listed turns that were never played: ${about.unused.join(", ")}.`),
    run.why && el("p", { class: "about" }, bdi(run.why)),
    about.audit && auditBlock(about.audit),
    mismatchList(view));
}

function outline(view) {
  const counts = { rows: 0, asides: 0, nudges: 0 };
  const outcomes = new Map();
  for (const item of view.items) {
    const row = view.row(item);
    if (item.seq !== undefined) counts.rows += item.messages ?? 1;
    if (item.what === "stub") counts.asides += item.messages;
    if (row?.to) counts.asides += 1;
    if (row?.kind === "nudge") counts.nudges += 1;
    if (item.what === "turn" || item.what === "open") {
      const outcome = view.outcome(item);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  const parts = [counted(counts.rows, "row")];
  if (counts.asides) parts.push(counted(counts.asides, "of them private").replace(/s$/, ""));
  if (counts.nudges) parts.push(counted(counts.nudges, "nudge"));
  for (const [outcome, count] of outcomes) parts.push(`${counted(count, "turn")} ${OUTCOMES[outcome] ?? words(outcome)}`);
  return parts.join(" · ");
}

const rowLink = (row) => el("a", { href: route({ row }) }, `row ${row}`);

/** Return how a transcript from elsewhere stands to the rules: rates, and where it first leaves them. */
function auditBlock(audit) {
  const share = (count) => audit.judged ? `${Math.round((100 * count) / audit.judged)} %` : "–";
  const line = ([label, count, first]) => el("tr", null,
    el("th", { scope: "row" }, label), el("td", { class: "n" }, String(count)), el("td", { class: "n" }, share(count)),
    el("td", null, first !== null && rowLink(first)));
  return el("section", { class: "audit", "aria-labelledby": "audit-title" },
    el("h2", { id: "audit-title" }, "Against the rules"),
    el("table", null,
      el("thead", null, el("tr", null, ["Who spoke next", "Rows", "Share", "First"].map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", null, audit.counts.map(line))),
    audit.first && el("p", { class: "why" }, "First divergence: ", rowLink(audit.first.row), ": ", bdi(audit.first.why), "."));
}

function mismatchList(view, all = false) {
  if (view.mismatches.length === 0) return null;
  const shown = all ? view.mismatches : view.mismatches.slice(0, MOST_MISMATCHES);
  const more = view.mismatches.length - shown.length;
  const box = el("section", { class: "mismatches", "aria-labelledby": "mismatches-title" },
    el("h2", { id: "mismatches-title" }, counted(view.mismatches.length, "thing").replace("thing", "thing") + " not as expected"),
    shown.map((mismatch) => mismatchBlock(mismatch, view, true)));
  if (more) {
    const button = el("button", { type: "button", onclick: () => {
      box.replaceWith(mismatchList(view, true));
      layOut();
    } }, `Show ${more} more`);
    box.append(button);
  }
  return box;
}

function showHeads() {
  const { view } = state;
  fill(byId("heads"), view.lanes.map((lane, at) =>
    el("div", { class: `head hue-${at % 8}${lane.name === state.seat && lane.type === "agent" ? " reader" : ""}` },
      el("span", { class: "who" }, bdi(lane.label ?? lane.name)),
      el("span", { class: "sub" }, lane.label ? bdi(lane.name) : lane.type === "agent" ? "seat" : lane.type))));
}

function showStatus() {
  const { run } = state.view;
  const text = run.status === "read" ? run.kind : run.status;
  const status = byId("status");
  status.className = `status ${run.status}`;
  status.textContent = text;
  status.hidden = false;
  fill(byId("title"), bdi(run.title ?? run.path));
  document.title = run.title ?? run.path;
}
