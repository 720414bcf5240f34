// --- choosing, reading as somebody, and the start ---

/** Choose an item by its place in the view. */
function choose(at, { open = state.open, focus = true, scroll = true } = {}) {
  if (placeInShown(at) < 0) {
    clearAll();
  }
  const place = placeInShown(at);
  if (place < 0) return;
  state.chosen = at;
  if (open !== state.open) {
    state.open = open;
    showDetail();
    layOut();
  }
  for (const card of built.values()) card.classList.toggle("chosen", Number(card.dataset.at) === at);
  if (scroll) reveal(place);
  draw();
  showDetail();
  keepAddress();
  if (focus) focusChosen();
}

function focusChosen() {
  const card = built.get(placeInShown(state.chosen));
  if (card) card.focus({ preventScroll: true });
  else byId("main").focus();
}

function closeDetail() {
  state.open = false;
  showDetail();
  layOut();
  const place = placeInShown(state.chosen);
  if (place >= 0) reveal(place);
  draw();
  focusChosen();
}

/** Show a run as somebody may read it. What is chosen stays chosen, if it is there. */
function show(run, seat, target) {
  const before = state.view?.items[state.chosen];
  const isSame = state.view !== null && state.run === run;
  state.run = run;
  state.view = viewOf(run, seat);
  state.seat = state.view.seat;
  if (!isSame) {
    Object.assign(state, { query: "", filter: { seat: "", kind: "", outcome: "" } });
    byId("search").value = "";
    stage.scrollTop = 0;
  }
  stage.hidden = false;
  byId("controls").hidden = false;
  if (isIndex()) {
    byId("index").hidden = true;
    byId("back").hidden = false;
  }
  showStatus();
  showSummary();
  showHeads();
  refilter();
  const wanted = target ?? (isSame && before ? targetOf(before) : {});
  const at = wanted.row === undefined && wanted.turn === undefined ? undefined : state.view.placeOf(wanted);
  state.chosen = at ?? -1;
  if (at === undefined) state.open = false;
  else if (target) state.open = true;
  showDetail();
  fillControls();
  narrow();
  if (at !== undefined) {
    if (placeInShown(at) < 0) clearAll();
    reveal(placeInShown(at));
    draw();
  }
}

function readAs(seat) {
  show(state.run, seat, null);
  keepAddress();
  const who = state.seat === null ? "the operator and people" : state.seat;
  say(`Read as ${who}: ${counted(state.view.items.length, "entry").replace("entrys", "entries")}`);
}

function showIndex() {
  stage.hidden = true;
  state.open = false;
  showDetail();
  byId("controls").hidden = true;
  byId("status").hidden = true;
  byId("back").hidden = true;
  byId("index").hidden = false;
  const { title } = byId("index").dataset;
  fill(byId("title"), title);
  document.title = title;
}

/** Show what the address asks for. */
function followAddress() {
  const { run, seat, row, turn } = asked(location.hash);
  if (isIndex() && run === null) return showIndex();
  const at = run ?? 0;
  if (runAt(at) === null) return isIndex() ? showIndex() : undefined;
  const target = row === undefined && turn === undefined ? null : { row, turn };
  show(at, seat, target);
  if (target !== null) focusChosen();
}

/** Make all rows that are shown into a list, for paper. */
const MOST_ON_PAPER = 5000;

function toPaper() {
  const paper = byId("paper");
  if (state.view === null || stage.hidden) return paper.replaceChildren();
  const places = state.shown.slice(0, MOST_ON_PAPER);
  const left = state.shown.length - places.length;
  fill(paper,
    state.seat !== null && el("p", { class: "lead" }, `As ${state.seat} may read it`),
    places.map((at) => onPaper(at)),
    left > 0 && el("p", { class: "notice" }, `${counted(left, "more entry").replace("entrys", "entries")} left out.`));
}

function onPaper(at) {
  const { view } = state;
  const item = view.items[at];
  const row = view.row(item);
  const card = cardOf(view, at, { letters: 90, query: "", full: true });
  const from = item.trigger === undefined ? "" : `from row ${item.trigger}${item.hop ? `, hop ${item.hop}` : ""}. `;
  const why = `${from}${row?.why ?? ""}`;
  if (why) card.append(el("p", { class: "why" }, bdi(why)));
  for (const [number, note] of (row?.notes || []).entries()) {
    if (!note.decided) card.append(el("p", { class: "why" }, el("sup", null, String(number + 1)), " ", bdi(note.why)));
  }
  for (const call of view.did(item)?.calls || []) {
    if (call.reply !== "ok") card.append(el("p", { class: "why" }, bdi(call.tool), ": ", words(call.reply)));
  }
  return card;
}

function start() {
  listen();
  addEventListener("hashchange", followAddress);
  addEventListener("beforeprint", toPaper);
  matchMedia("print").addEventListener("change", (event) => event.matches && toPaper());
  new ResizeObserver(() => {
    if (state.view !== null && !stage.hidden && stage.clientWidth !== grid.room) layOut();
  }).observe(stage);
  followAddress();
}

/** What a page that is fed while a run grows is fed through. */
window.deskroomPage = {
  /** Take a run's new data, as the page holds it; what is chosen, read and filtered stays. */
  replace(data, run = 0) {
    runs[run] = typeof data === "string" ? JSON.parse(data) : data;
    for (const key of [...views.keys()]) if (key.startsWith(`${run}/`)) views.delete(key);
    if (state.view === null || state.run !== run || stage.hidden) return;
    const isAtEnd = stage.scrollTop + stage.clientHeight >= stage.scrollHeight - 80;
    const { scrollTop, scrollLeft } = stage;
    const hasFocus = feed.contains(document.activeElement);
    // The details are built anew as well: whoever reads them stays where they are.
    const detail = byId("detail");
    const read = detail.scrollTop;
    const isRead = detail.contains(document.activeElement);
    show(run, state.seat, null);
    detail.scrollTop = read;
    if (isRead && !detail.contains(document.activeElement)) detail.focus({ preventScroll: true });
    stage.scrollTop = isAtEnd ? stage.scrollHeight : scrollTop;
    stage.scrollLeft = scrollLeft;
    draw();
    if (hasFocus) focusChosen();
  },
};

if (runCount() > 0 || isIndex()) start();
