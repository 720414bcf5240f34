// --- cards: a row, a stub, or a turn that became no row, in short ---

const LINE = 20;

/** How wide each character is, as it was measured with the page's font. */
const widths = new Map();
let pen = null;
let measured = ""; // the font they were measured with

/** Measure anew: the font may be another one, or larger. */
function forgetWidths() {
  const { fontSize, fontFamily } = getComputedStyle(document.body);
  const font = `${fontSize} ${fontFamily}`;
  pen ||= document.createElement("canvas").getContext("2d");
  if (measured === font) return;
  measured = font;
  pen.font = font;
  widths.clear();
}

function letterWidth(letter) {
  let width = widths.get(letter);
  if (width === undefined) {
    width = pen.measureText(letter).width;
    widths.set(letter, width);
  }
  return width;
}

/** Return on how many lines a text is shown in some room, as a browser breaks them. */
function linesOf(text, room, most) {
  let lines = 1;
  let line = 0; // the width of the line so far, and of the word that it ends with
  let word = 0;
  for (const letter of text) {
    if (letter === "\n") {
      lines += 1;
      line = word = 0;
    } else {
      const width = letterWidth(letter);
      // Between these characters of Chinese, Japanese and Korean, a line may break anywhere.
      if (letter === " " || letter.codePointAt(0) > 0x2e7f) word = 0;
      if (line + width > room && letter !== " ") {
        lines += 1;
        line = word < line ? word : 0;
      }
      line += width;
      if (letter !== " ") word += width;
    }
    if (lines >= most) return most;
  }
  return lines;
}

// No browser can scroll through more than some 17 million pixels.
const VERY_MANY = 50000;
const mostLines = () => (state.shown.length > VERY_MANY ? 2 : grid.single ? 6 : 4);

/** Return how high a card is, in pixels of an unscaled page. */
function cardHeight(view, at) {
  const item = view.items[at];
  if (item.what === "stub") return 42 + 26 * tagLines(tagsOf(view, item, 0)) + 26;
  const line = item.what === "row" ? view.text(item) : briefOf(view, item);
  // A mention is bold, and so a bit wider than it was measured.
  const room = (grid.lane - (2 * PAD + 26) * grid.unit) * (view.row(item)?.notes ? 0.95 : 0.99);
  const text = line === "" ? 0 : linesOf(line, room, item.what === "row" ? mostLines() : 3) * LINE + 4;
  const tags = 26 * tagLines(tagsOf(view, item, view.wrong.get(at)?.length));
  return 42 + tags + text + (item.what === "row" && nextText(view, item) !== "" ? 26 : 0);
}

/** Return on how many lines tags are shown: as many as fit stand beside one another. */
function tagLines(tags) {
  const room = grid.lane / grid.unit - 2 * PAD - 28;
  let lines = tags.length > 0 ? 1 : 0;
  let used = 0;
  for (const [, text] of tags) {
    const width = Math.min(room, text.length * 7 + 16);
    if (used > 0 && used + width > room) {
      lines += 1;
      used = 0;
    }
    used += width;
  }
  return lines;
}

/** Return what happened in a turn without a row, in a sentence. */
function briefOf(view, item) {
  if (item.what === "late") return `${item.call.tool}: ${words(item.call.reply)}`;
  if (item.what === "open") {
    const calls = item.calls?.length ? `, after ${counted(item.calls.length, "call")}` : "";
    return `has not ended${calls}`;
  }
  const refused = (view.did(item)?.calls || []).filter((call) => call.reply !== "ok" && !call.late);
  if (item.outcome !== "refused" || refused.length === 0) return item.why ?? "";
  return refused.map((call) => `${call.tool}: ${words(call.reply)}`).join("\n");
}

function cardOf(view, at, { letters, query, full = false }) {
  const item = view.items[at];
  const row = view.row(item);
  const lane = view.lane(item);
  const name = view.name(item);
  const id = full ? `paper-${at}` : `card-${at}`;
  const classes = ["card", item.what, `hue-${item.lane % 8}`];
  if (row) classes.push(`kind-${row.kind}`);
  if (row?.to) classes.push("aside");
  const card = el("article", {
    class: classes.join(" "),
    "data-at": at,
    id,
    "aria-labelledby": `${id}-name`,
  });
  put(card, [
    el("header", { class: "meta", id: `${id}-name` },
      el("span", { class: "who" }, bdi(lane.label ?? lane.name)),
      el("span", { class: "number" }, full ? `${name}${turnOf(item, name)}` : shortName(item))),
    tagLine(view, item, at),
    item.what === "row" && full && el("p", { class: "text", dir: "auto" }, markedText(view, item, query)),
    item.what === "row" && !full && el("p", { class: "text", dir: "auto" }, excerpt(view, item, letters, query)),
    item.what !== "row" && item.what !== "stub" && el("p", { class: "text" }, bdi(marked(briefOf(view, item), query))),
    item.what === "stub" && el("p", { class: "next" }, stubText(item)),
    row && nextLine(view, item),
  ]);
  return card;
}

const turnOf = (item, name) => (item.turn !== undefined && !name.includes("urn") ? ` · turn ${item.turn}` : "");

function shortName(item) {
  if (item.what === "stub" && item.through !== item.seq) return `rows ${item.seq}–${item.through}`;
  return item.seq !== undefined ? `row ${item.seq}` : `turn ${item.turn}`;
}

function stubText(item) {
  if (item.settled === undefined) return "not settled";
  return `settled at row ${item.settled}`;
}

/** Return the words that say what kind of row or turn it is: [class, text]. */
function tagsOf(view, item, wrong) {
  const tags = [];
  const row = view.row(item);
  if (wrong) tags.push(["bad", counted(wrong, "mismatch").replace("mismatchs", "mismatches")]);
  if (item.what === "stub") {
    tags.push(["lock", `private to ${item.to.join(", ")}`], ["", counted(item.messages, "message")]);
  } else if (item.what === "late") tags.push(["warn", "late call"]);
  else if (item.what !== "row") {
    const outcome = view.outcome(item);
    tags.push([outcome === "silent" || outcome === "open" ? "mild" : "warn", OUTCOMES[outcome] ?? words(outcome)]);
  }
  if (row) {
    if (row.kind !== "seat") tags.push(["mild", KIND_NAMES[row.kind] ?? words(row.kind)]);
    if (row.to) tags.push(["lock", `aside to ${row.to.join(", ")}`]);
    if (view.kinds(item).includes("broadcast")) tags.push(["cast", "broadcast"]);
    if (row.refusal) tags.push(["warn", `not private: ${words(row.refusal)}`]);
    if (row.completes) tags.push(["good", "completes"]);
  }
  if (item.attempt) tags.push(["mild", `attempt ${item.attempt}`]);
  const refused = (view.did(item)?.calls || []).filter((call) => call.reply !== "ok" && !call.late).length;
  if (row && refused) tags.push(["warn", `${refused} refused`]);
  return tags;
}

function tagLine(view, item, at) {
  const tags = tagsOf(view, item, view.wrong.get(at)?.length ?? 0);
  if (tags.length === 0) return null;
  return el("p", { class: "tags" }, tags.map(([kind, text]) => el("span", { class: `tag ${kind}` }, bdi(text))));
}

/** Return whom a row hands the turn to, or why to nobody, in a few words. */
function nextText(view, item) {
  const row = view.row(item);
  if (row.kind === "wrote") return "";
  if (row.next) return row.next.join(", ");
  if (row.none === "no_direct_agent_mention") return "names no seat";
  return row.none ? words(row.none) : "";
}

function nextLine(view, item) {
  const row = view.row(item);
  const text = nextText(view, item);
  if (text === "") return null;
  const arrow = el("span", { "aria-hidden": "true" }, row.next ? "→ " : "⊣ ");
  const spoken = el("span", { class: "sr" }, row.next ? "next: " : "nobody is next: ");
  const settled = row.settled === undefined ? "" : ` · settled at ${row.settled}`;
  return el("p", { class: `next${row.next ? "" : " nobody"}` }, arrow, spoken, bdi(text), settled);
}

// --- a row's text ---

/** Return a row's whole text with each `@` marked, and its number among the notes. */
function markedText(view, item, query) {
  const row = view.row(item);
  if (typeof row.text === "string") return marked(row.text, query);
  return row.text.map((part, at) => (at % 2 ? atMark(row, (at - 1) / 2, part, query, true) : marked(part, query)));
}

function atMark(row, number, part, query, isNumbered) {
  const note = row.notes[number];
  const counts = note.verdict === "mention";
  const kind = note.decided ? "decided" : counts ? "counts" : "idle";
  return el("span", { class: `at ${kind}` }, marked(part, query), isNumbered && el("sup", null, String(number + 1)));
}

/** Return the part of a text that a card has room for: with what decided, and what is looked for. */
function excerpt(view, item, letters, query) {
  const row = view.row(item);
  const parts = typeof row.text === "string" ? [row.text] : row.text;
  const whole = view.text(item);
  const room = Math.floor(letters * mostLines() * 0.9);
  const decided = decidedSpan(row, parts);
  const found = query ? whole.toLowerCase().indexOf(query) : -1;
  const [start, end] = found >= 0 ? [found, found + query.length] : decided;
  const shown = end <= room ? [[0, room * 2]] : [[0, Math.floor(room * 0.4)], [Math.max(Math.floor(room * 0.4), start - 16), end + room]];
  return shown.map(([from, to], place) => [place > 0 && " … ", sliced(row, parts, from, to, query)]);
}

function decidedSpan(row, parts) {
  const number = (row.notes || []).findIndex((note) => note.decided);
  if (number < 0) return [0, 0];
  const start = parts.slice(0, 2 * number + 1).join("").length;
  return [start, start + parts[2 * number + 1].length];
}

function sliced(row, parts, from, to, query) {
  let at = 0;
  return parts.map((part, place) => {
    const piece = part.slice(Math.max(0, from - at), Math.max(0, to - at));
    at += part.length;
    if (piece === "") return null;
    return place % 2 ? atMark(row, (place - 1) / 2, piece, query, false) : marked(piece, query);
  });
}
