// --- building the page: every text goes in as text, never as markup ---

const byId = (id) => document.getElementById(id);

/** Return an element. `options` are its attributes; `on…` ones are listeners; null ones are left out. */
function el(tag, options, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  put(made, children);
  return made;
}

function put(into, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) into.append(child);
  }
}

function fill(into, ...children) {
  into.replaceChildren();
  put(into, children);
}

/** A name or a message that may run from right to left, kept from turning what is around it. */
const bdi = (...text) => el("bdi", null, ...text);

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** Say something to those who listen to the page. */
function say(text) {
  byId("said").textContent = text;
}

/** Return a text as pieces with what is searched for marked in it. */
function marked(text, query) {
  if (!query) return [text];
  const pieces = [];
  const lower = text.toLowerCase();
  // Lower-casing may change the length of a text; then places in one are none in the other.
  if (lower.length !== text.length) return [text];
  let at = 0;
  for (let found = lower.indexOf(query); found >= 0; found = lower.indexOf(query, at)) {
    pieces.push(text.slice(at, found), el("mark", null, text.slice(found, found + query.length)));
    at = found + query.length;
  }
  pieces.push(text.slice(at));
  return pieces;
}
