// --- arrows: from the row that brought a turn to what came of the turn, with the hop ---

const arrows = byId("arrows");
const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Draw the arrows that end at these places, and those that pass by them. */
function drawArrows(places) {
  arrows.replaceChildren();
  if (grid.single || places.length === 0) return;
  const top = Math.max(0, stage.scrollTop - lanesBox.offsetTop - BEYOND);
  const height = Math.min(grid.tops[state.shown.length] - top, stage.clientHeight + 2 * BEYOND);
  arrows.style.top = `${top}px`;
  arrows.setAttribute("width", grid.width);
  arrows.setAttribute("height", Math.max(0, height));
  const placeOf = new Map(places.map((place) => [state.shown[place], place]));
  const last = places[places.length - 1];
  // A long arrow ends below; looking this far down is enough to see most that pass by.
  for (let place = places[0]; place < Math.min(state.shown.length, last + 40); place++) {
    const at = state.shown[place];
    const item = state.view.items[at];
    if (item.trigger === undefined) continue;
    const from = state.view.atRow.get(item.trigger);
    if (from === undefined || from === at) continue;
    const start = placeOf.get(from) ?? placeInShown(from);
    if (start >= 0 && start < place) arrows.append(...arrowOf(start, place, item, top, from));
  }
}

function placeInShown(at) {
  let low = 0;
  let high = state.shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (state.shown[middle] < at) low = middle + 1;
    else high = middle;
  }
  return state.shown[low] === at ? low : -1;
}

function arrowOf(start, end, item, top, from) {
  const { unit } = grid;
  const source = state.view.items[from];
  const isNear = end === start + 1;
  const y0 = grid.tops[start] + grid.heights[start] - top;
  const y1 = grid.tops[end] - top - 2;
  const turn = y1 - 14 * unit;
  const left = laneLeft(source);
  const x0 = isNear ? left + grid.lane / 2 : left + 4 * unit;
  const x1 = laneLeft(item) + grid.lane / 2;
  const begin = isNear ? `M${x0} ${y0}V${turn}` : `M${x0 + 10 * unit} ${y0}v${4 * unit}H${x0}V${turn}`;
  const r = Math.min(6 * unit, Math.abs(x1 - x0) / 2);
  const way = x1 > x0 ? 1 : -1;
  const bend = Math.abs(x1 - x0) < 2 ? `V${y1}` : `H${x1 - way * r}q${way * r} 0 ${way * r} ${r}V${y1}`;
  const isChosen = state.chosen >= 0 && (from === state.chosen || state.shown[end] === state.chosen);
  const kind = `arrow${isChosen ? " chosen" : ""}${state.view.row(source)?.to || source.what === "stub" ? " aside" : ""}`;
  const head = `M${x1 - 4 * unit} ${y1 - 6 * unit}L${x1} ${y1}L${x1 + 4 * unit} ${y1 - 6 * unit}`;
  const marks = [svg("path", { class: kind, d: begin + bend }), svg("path", { class: `${kind} head`, d: head })];
  if (item.hop) {
    const at = { class: "hop", x: x1 + 9 * unit, y: y1 - 3 * unit };
    marks.push(svg("text", at, `hop ${item.hop}`));
  }
  return marks;
}
