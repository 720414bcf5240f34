// --- what one can change: who reads, the search, the filters; and the keys ---

const KINDS = [
  ["", "all"],
  ["wrong", "not as expected"],
  ["seat", "messages of seats"],
  ["aside", "asides"],
  ["private", "private, not readable"],
  ["broadcast", "broadcasts"],
  ["completes", "completions"],
  ["declined", "asides that were declined"],
  ["opening", "openings"],
  ["person", "messages of people"],
  ["nudge", "nudges"],
  ["wrote", "files"],
  ["rowless", "turns without a row"],
  ["late", "late calls"],
];

function fillControls() {
  const { view } = state;
  const { run } = view;
  const readers = run.views.map((one) => [one.seat ?? "", one.seat ?? "operator and people (all)"]);
  options(byId("read-as"), readers, state.seat ?? "");
  byId("read-as").disabled = readers.length === 1;
  const lanes = view.lanes.map((lane, at) => [String(at), nameOf(lane)]);
  options(byId("filter-seat"), [["", "all"], ...lanes], state.filter.seat);
  const there = new Set(view.items.flatMap((item) => view.kinds(item)));
  if (view.wrong.size) there.add("wrong");
  options(byId("filter-kind"), KINDS.filter(([kind]) => kind === "" || there.has(kind)), state.filter.kind);
  const outcomes = new Set(view.items.map((item) => view.outcome(item)).filter(Boolean));
  options(byId("filter-outcome"), [["", "all"], ...[...outcomes].map((one) => [one, OUTCOMES[one] ?? words(one)])], state.filter.outcome);
}

function options(select, list, chosen) {
  fill(select, list.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
}

/** Show what passes the search and filters; say how much that is. */
function narrow() {
  refilter();
  const used = Object.values(state.filter).filter(Boolean).length;
  byId("filter-count").textContent = used ? ` (${used})` : "";
  byId("nothing").hidden = state.shown.length > 0 || !isNarrowed();
  byId("empty").hidden = state.view.items.length > 0;
  layOut();
  const found = `${state.shown.length.toLocaleString("en")} of ${state.view.items.length.toLocaleString("en")}`;
  byId("found").hidden = !isNarrowed();
  byId("found").textContent = found;
  if (!isNarrowed()) return;
  say(`${found} shown`);
  // What is found is below what the run came to.
  const top = lanesBox.offsetTop - byId("heads").offsetHeight;
  if (stage.scrollTop < top) stage.scrollTop = top;
}

function clearAll() {
  state.query = "";
  byId("search").value = "";
  state.filter = { seat: "", kind: "", outcome: "" };
  for (const name of ["seat", "kind", "outcome"]) byId(`filter-${name}`).value = "";
  narrow();
  say("Everything is shown");
}

function listen() {
  byId("read-as").addEventListener("change", (event) => readAs(event.target.value || null));
  byId("search").addEventListener("input", (event) => {
    state.query = event.target.value.toLowerCase();
    narrow();
  });
  for (const name of ["seat", "kind", "outcome"]) {
    byId(`filter-${name}`).addEventListener("change", (event) => {
      state.filter[name] = event.target.value;
      narrow();
    });
  }
  byId("filter-clear").addEventListener("click", clearAll);
  byId("nothing-clear").addEventListener("click", clearAll);
  byId("help-open").addEventListener("click", () => byId("help").showModal());
  feed.addEventListener("click", (event) => {
    const card = event.target.closest(".card");
    if (card !== null && String(getSelection()) === "") choose(Number(card.dataset.at), { open: true });
  });
  feed.addEventListener("focusin", (event) => {
    const at = Number(event.target.closest(".card")?.dataset.at);
    if (at !== state.chosen) choose(at, { focus: false, scroll: false });
  });
  document.addEventListener("keydown", onKey);
}

const isTyping = (target) => target.closest("input, select, textarea, dialog") !== null;

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || state.view === null || stage.hidden) return;
  if (event.key === "Escape") return onEscape(event);
  if (isTyping(event.target)) {
    if (event.key === "Enter" && event.target === byId("search")) step(0);
    return;
  }
  const act = KEYS[event.key];
  if (act === undefined) return;
  // A link or a button that has the focus keeps Enter; scrolling keys stay with the details.
  if (event.key === "Enter" && event.target.closest("a, button, summary") !== null) return;
  if (event.key.length > 1 && event.target.closest(".detail, .index") !== null) return;
  event.preventDefault();
  act();
}

const KEYS = {
  j: () => step(1),
  ArrowDown: () => step(1),
  k: () => step(-1),
  ArrowUp: () => step(-1),
  ArrowLeft: () => follow("from"),
  ArrowRight: () => follow("to"),
  PageDown: () => stage.scrollBy(0, stage.clientHeight * 0.85),
  PageUp: () => stage.scrollBy(0, -stage.clientHeight * 0.85),
  Home: () => goTo(0),
  End: () => goTo(state.shown.length - 1),
  Enter: () => {
    if (state.chosen >= 0) choose(state.chosen, { open: true, focus: false });
    byId("detail-title")?.focus();
  },
  "/": () => {
    byId("search").focus();
    byId("search").select();
  },
  "?": () => byId("help").showModal(),
};

function onEscape(event) {
  if (byId("help").open) return;
  const search = byId("search");
  if (event.target === search && (search.value || state.query)) {
    event.preventDefault();
    search.value = "";
    state.query = "";
    narrow();
    say("The search is cleared");
  } else if (byId("filters").open && event.target.closest("#filters")) {
    byId("filters").open = false;
    byId("filters").querySelector("summary").focus();
  } else if (state.open) closeDetail();
  else if (event.target === search) focusChosen();
  else if (isNarrowed()) clearAll();
}

/** Choose the next card, or the one before. With none chosen, the first in sight. */
function step(by) {
  const place = placeInShown(state.chosen);
  if (place >= 0) goTo(place + by);
  else goTo(Math.min(firstBelow(stage.scrollTop - lanesBox.offsetTop + 40), state.shown.length - 1));
}

function goTo(place) {
  if (place >= 0 && place < state.shown.length) choose(state.shown[place]);
}

/** Go to what brought the chosen one, or to the first that it brought. */
function follow(way) {
  const item = state.view.items[state.chosen];
  if (item === undefined) return;
  const at = way === "from" ? state.view.atRow.get(item.trigger) : state.view.led.get(item.seq)?.[0];
  if (at !== undefined) choose(at);
}
