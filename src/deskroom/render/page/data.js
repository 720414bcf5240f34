// --- the data: what the core made, and how its parts hang together ---
//
// A run has tables of items, rows and turns; a view is a list of places among the items. Which view
// holds what was decided by the core. Here they are only looked up.

const KIND_NAMES = {
  opening: "opening",
  person: "person",
  seat: "message",
  nudge: "nudge",
  wrote: "files",
};

const OUTCOMES = {
  spoke: "spoke",
  silent: "silent",
  refused: "refused",
  failed: "failed",
  timed_out: "timed out",
  open: "open",
};

const words = (code) => String(code).replaceAll("_", " ");

/** One run, as one viewer may read it. */
class View {
  constructor(run, at) {
    const view = run.views[at];
    Object.assign(this, { run, at, seat: view.seat ?? null, about: view });
    this.lanes = run.lanes;
    this.items = [];
    for (const [first, count] of view.spans) {
      for (let place = first; place < first + count; place++) this.items.push(run.items[place]);
    }
    this.mismatches = view.mismatches || [];
    this.links();
  }

  /** Find rows and turns by number, and what each one led to. */
  links() {
    this.atRow = new Map();
    this.atTurn = new Map();
    this.led = new Map();
    this.settles = new Map();
    this.items.forEach((item, at) => {
      if (item.seq !== undefined) {
        for (let seq = item.seq; seq <= (item.through ?? item.seq); seq++) this.atRow.set(seq, at);
      }
      // The row that a turn became stands for it; the row about its files comes behind that.
      const is_turn = item.what === "turn" || item.what === "open" || this.row(item)?.kind === "seat";
      if (item.turn !== undefined && is_turn) this.atTurn.set(item.turn, at);
      if (item.trigger !== undefined) add(this.led, item.trigger, at);
      const settled = item.settled ?? this.row(item)?.settled;
      if (settled !== undefined) add(this.settles, settled, at);
    });
    this.wrong = new Map();
    for (const mismatch of this.mismatches) {
      const at = this.placeOf(mismatch);
      if (at !== undefined) add(this.wrong, at, mismatch);
    }
  }

  row(item) {
    return item.row === undefined ? undefined : this.run.rows[item.row];
  }

  did(item) {
    return item.did === undefined ? undefined : this.run.turns[item.did];
  }

  /** Return the place of a row or a turn, by its number. */
  placeOf(target) {
    return target.row !== undefined ? this.atRow.get(target.row) : this.atTurn.get(target.turn);
  }

  lane(item) {
    return this.lanes[item.lane];
  }

  /** Return the text of a row without its marks. */
  text(item) {
    const text = this.row(item)?.text ?? "";
    return typeof text === "string" ? text : text.join("");
  }

  outcome(item) {
    if (item.what === "open") return "open";
    if (item.what === "turn") return item.outcome ?? "open";
    return this.row(item)?.kind === "seat" ? "spoke" : null;
  }

  /** Return the kinds that an item is of, each a word that it can be filtered by. */
  kinds(item) {
    if (item.what === "stub") return ["private", "aside"];
    if (item.what === "late") return ["late"];
    const row = this.row(item);
    if (!row) return ["rowless"];
    const kinds = [row.kind];
    if (row.to) kinds.push("aside");
    if (row.none === "broadcast" || (row.next || []).length > 1 || item.routing) kinds.push("broadcast");
    if (row.completes) kinds.push("completes");
    if (row.refusal) kinds.push("declined");
    return kinds;
  }

  /** Return what an item is called, the same wherever it is named. */
  name(item) {
    if (item.what === "stub" && item.through !== item.seq) return `Rows ${item.seq}–${item.through}`;
    if (item.seq !== undefined) return `Row ${item.seq}`;
    return item.what === "late" ? `Late call in turn ${item.turn}` : `Turn ${item.turn}`;
  }

  /** Return all that a search looks through, in lower case. */
  haystack(at) {
    this.hay ||= [];
    if (this.hay[at] === undefined) {
      const item = this.items[at];
      const row = this.row(item);
      const did = this.did(item);
      const calls = [...(did?.calls || []), ...(item.calls || []), ...(item.call ? [item.call] : [])];
      const parts = [
        this.text(item),
        this.lane(item).name,
        this.lane(item).label,
        this.name(item),
        row?.why ?? item.why,
        did?.text,
        did?.error,
        ...(did?.wrote || []),
        ...calls.flatMap((call) => [call.tool, call.reply, ...call.arguments.flat()]),
      ];
      this.hay[at] = parts.filter(Boolean).join("\n").toLowerCase();
    }
    return this.hay[at];
  }
}

function add(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const runs = [];
const views = new Map();

/** Return a run; its data is only read when it is opened. */
function runAt(at) {
  if (runs[at] === undefined) {
    const holder = byId(`data-${at}`);
    if (holder === null) return null;
    runs[at] = JSON.parse(holder.textContent);
  }
  return runs[at];
}

const runCount = () => document.querySelectorAll('script[type="application/json"]').length;

function viewOf(at, seat) {
  const run = runAt(at);
  const found = run.views.findIndex((view) => (view.seat ?? null) === seat);
  const place = Math.max(0, found);
  const key = `${at}/${place}`;
  if (!views.has(key)) views.set(key, new View(run, place));
  return views.get(key);
}
