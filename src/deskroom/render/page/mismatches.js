// --- what came out otherwise than expected, side by side ---

const SEGMENTS = { same: "span", old: "del", new: "ins" };

function mismatchBlock(mismatch, view, isLinked) {
  const at = view.placeOf(mismatch);
  const about = mismatch.about;
  const link = isLinked && at !== undefined
    ? el("a", { href: route(targetOf(view.items[at])) }, bdi(about))
    : bdi(about);
  const head = el("p", { class: "mismatch-head" }, link, " · ", el("code", null, mismatch.key),
    el("span", { class: "place" }, mismatch.place));
  if (mismatch.private) {
    return el("div", { class: "mismatch" }, head, el("p", { class: "why" }, "(private)"));
  }
  return el("div", { class: "mismatch" }, head,
    el("div", { class: "sides" }, side("Expected", mismatch.expected), side("Actual", mismatch.got)),
    mismatch.why && el("p", { class: "why" }, bdi(mismatch.why)));
}

function side(title, segments) {
  const words = segments.map(([kind, text]) => el(SEGMENTS[kind] ?? "span", null, text));
  return el("div", { class: `side ${title.toLowerCase()}` },
    el("p", { class: "side-title" }, title), el("p", { class: "side-text", dir: "auto" }, words));
}
