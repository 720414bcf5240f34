// --- where each card stands: heights are known beforehand, so only what is in sight is built ---

const stage = byId("stage");
const feed = byId("feed");
const lanesBox = byId("lanes");

const LEAST_LANE = 208;
const MOST_LANE = 400;
const GAP = 30; // between two cards; an arrow and its hop fit in
const PAD = 8; // between a card and the edge of its lane
const BEYOND = 700; // built above and below what is in sight

const grid = { single: false, lane: 0, unit: 1, tops: new Float64Array(1), heights: [], width: 0, room: 0 };
const built = new Map(); // place in `shown` → its card

/** Measure the lanes, and place every card that is shown. */
function layOut() {
  const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const room = stage.clientWidth;
  const count = Math.max(1, state.view.lanes.length);
  grid.unit = unit;
  grid.single = room < 640 * unit || count === 1;
  const lane = Math.min(MOST_LANE * unit, Math.max(LEAST_LANE * unit, Math.floor(room / count)));
  grid.lane = grid.single ? room : lane;
  grid.width = grid.single ? room : lane * count;
  const tops = new Float64Array(state.shown.length + 1);
  const heights = new Array(state.shown.length);
  forgetWidths();
  // Half a word is lost where a line breaks.
  const letters = Math.max(12, (grid.lane - (2 * PAD + 26) * unit) / letterWidth("n") - 2.5);
  let top = 14 * unit;
  state.shown.forEach((at, place) => {
    heights[place] = cardHeight(state.view, at) * unit;
    tops[place] = top;
    top += heights[place] + (grid.single ? 10 : GAP) * unit;
  });
  tops[state.shown.length] = top;
  Object.assign(grid, { tops, heights, letters, room });
  feed.style.height = `${top}px`;
  lanesBox.style.width = `${grid.width}px`;
  stage.classList.toggle("single", grid.single);
  stage.style.setProperty("--lane", `${grid.lane}px`);
  const hadFocus = feed.contains(document.activeElement);
  for (const card of built.values()) card.remove();
  built.clear();
  draw();
  if (hadFocus) focusChosen();
}

/** Return the first place whose card ends below a height. */
function firstBelow(height) {
  let low = 0;
  let high = state.shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (grid.tops[middle] + grid.heights[middle] < height) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Build the cards in sight, and take away those that are far from it. */
function draw() {
  const top = stage.scrollTop - lanesBox.offsetTop;
  const first = firstBelow(top - BEYOND);
  const wanted = [];
  for (let place = first; place < state.shown.length; place++) {
    if (grid.tops[place] > top + stage.clientHeight + BEYOND) break;
    wanted.push(place);
  }
  // What is chosen stays, so that the keyboard's focus is not lost while one scrolls.
  const chosen = state.shown.indexOf(state.chosen);
  if (chosen >= 0 && !wanted.includes(chosen)) {
    wanted.push(chosen);
    wanted.sort((a, b) => a - b);
  }
  const keep = new Set(wanted);
  for (const [place, card] of built) {
    if (!keep.has(place)) {
      card.remove();
      built.delete(place);
    }
  }
  let before = null;
  for (const place of wanted) {
    const card = built.get(place) || placed(place);
    if (card.parentNode !== feed) feed.insertBefore(card, before ? before.nextSibling : feed.firstChild);
    before = card;
  }
  const tabbable = keep.has(chosen) ? chosen : wanted[0];
  for (const [place, card] of built) card.tabIndex = place === tabbable ? 0 : -1;
  drawArrows(wanted);
}

function placed(place) {
  const at = state.shown[place];
  const card = cardOf(state.view, at, { letters: grid.letters, query: state.query });
  const { style } = card;
  style.top = `${grid.tops[place]}px`;
  style.height = `${grid.heights[place]}px`;
  style.left = `${laneLeft(state.view.items[at]) + PAD * grid.unit}px`;
  style.width = `${grid.lane - 2 * PAD * grid.unit}px`;
  card.setAttribute("aria-posinset", place + 1);
  card.setAttribute("aria-setsize", state.shown.length);
  card.classList.toggle("chosen", at === state.chosen);
  built.set(place, card);
  return card;
}

const laneLeft = (item) => (grid.single ? 0 : item.lane * grid.lane);

/** Scroll so that a card is in sight, below what sticks to the top. */
function reveal(place) {
  const offset = lanesBox.offsetTop;
  const head = grid.single ? 0 : byId("heads").offsetHeight;
  const top = grid.tops[place] + offset - head - 24 * grid.unit;
  const bottom = grid.tops[place] + grid.heights[place] + offset + 32 * grid.unit;
  if (top < stage.scrollTop) stage.scrollTop = top;
  else if (bottom > stage.scrollTop + stage.clientHeight) {
    stage.scrollTop = Math.min(top, bottom - stage.clientHeight);
  }
  const left = laneLeft(state.view.items[state.shown[place]]);
  if (left < stage.scrollLeft) stage.scrollLeft = left;
  else if (left + grid.lane > stage.scrollLeft + stage.clientWidth) {
    stage.scrollLeft = left + grid.lane - stage.clientWidth;
  }
}

let isDrawing = false;
stage.addEventListener("scroll", () => {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    if (state.view !== null && !stage.hidden) draw();
  });
}, { passive: true });
