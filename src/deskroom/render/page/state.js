// --- what is shown: which run, as whom, which row, what is looked for ---

const state = {
  run: 0,
  view: null,
  seat: null,
  chosen: -1, // the place of the item that is chosen in the view
  open: false, // whether its details are shown
  query: "",
  filter: { seat: "", kind: "", outcome: "" },
  shown: [], // the places of the items that pass the filters
};

const isIndex = () => byId("index") !== null;

/** Return the fragment for a row or a turn of this run, as the same viewer. */
function route(target, seat = state.seat, run = state.run) {
  const parts = [];
  if (isIndex()) parts.push(`run-${run}`);
  const only = state.view !== null && state.view.run.views.length === 1;
  if (seat !== null && !only) parts.push(`as-${encodeURIComponent(seat)}`);
  if (target?.row !== undefined) parts.push(`row-${target.row}`);
  else if (target?.turn !== undefined) parts.push(`turn-${target.turn}`);
  return `#${parts.join("/")}`;
}

/** Return what a fragment asks for. */
function asked(fragment) {
  const found = { run: null, seat: null, row: undefined, turn: undefined };
  for (const part of fragment.replace(/^#/, "").split("/")) {
    const [, word, value] = /^(run|as|row|turn)-(.+)$/.exec(part) || [];
    if (word === "as") found.seat = decoded(value);
    else if (word === "run" || word === "row" || word === "turn") found[word] = Number(value);
  }
  return found;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const targetOf = (item) => (item.seq !== undefined ? { row: item.seq } : { turn: item.turn });

/** Say in the address what is chosen, so that it can be sent to somebody. */
function keepAddress() {
  const item = state.view?.items[state.chosen];
  const fragment = route(item && targetOf(item));
  if (location.hash !== fragment) history.replaceState(null, "", fragment);
}

/** Find what passes the search and the filters. */
function refilter() {
  const { view, query, filter } = state;
  const shown = [];
  view.items.forEach((item, at) => {
    if (filter.seat && String(item.lane) !== filter.seat) return;
    if (filter.kind === "wrong" && !view.wrong.has(at)) return;
    if (filter.kind && filter.kind !== "wrong" && !view.kinds(item).includes(filter.kind)) return;
    if (filter.outcome && view.outcome(item) !== filter.outcome) return;
    if (query && !view.haystack(at).includes(query)) return;
    shown.push(at);
  });
  state.shown = shown;
}

const isNarrowed = () => state.query !== "" || Object.values(state.filter).some(Boolean);
