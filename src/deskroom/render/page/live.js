// --- a page that is served: it takes in what comes while the run grows ---
(() => {
  const island = document.getElementById("data-0");
  let data = JSON.parse(island.textContent);
  let waiting = null;
  let source = null;

  const SAYS = {
    waiting: "waiting for the first line",
    growing: "following",
    closed: "following: the room has closed",
    damaged: "the journal is damaged",
    gone: "the journal is gone",
    lost: "not followed now: no answer",
    over: "the run is not followed any more",
  };
  const BAD = ["damaged", "gone", "lost", "over"];

  const shown = document.createElement("span");
  shown.id = "live";
  shown.setAttribute("role", "status");
  document.getElementById("status").after(shown);

  function tell(state) {
    const problem = data.live.problem;
    const text = (SAYS[state] ?? state) + (problem && state === "damaged" ? `: ${problem}` : "");
    shown.className = `status live ${BAD.includes(state) ? "damaged" : "read"}`;
    if (shown.textContent !== text) shown.textContent = text;
  }

  /** Put what came behind what is there. */
  function added(more) {
    for (const name of ["rows", "turns", "items"]) {
      for (const one of more[name]) data[name].push(one);
      more[name] = data[name];
    }
    more.views.forEach((view, at) => {
      const before = data.views[at];
      view.spans = [...cut(before.spans, more.keep[at]), ...view.spans];
      if (before.lines || view.lines) {
        view.lines = [...(before.lines ?? []).slice(0, more.keep[at]), ...(view.lines ?? [])];
      }
    });
    return more;
  }

  /** Return the spans of the first so many items. */
  function cut(spans, count) {
    const kept = [];
    let left = count;
    for (const [first, length] of spans) {
      if (left <= 0) break;
      kept.push([first, Math.min(length, left)]);
      left -= length;
    }
    return kept;
  }

  function take(event) {
    const more = JSON.parse(event.data);
    data = more.keep ? added(more) : more;
    // What comes close together is shown at once.
    waiting ??= setTimeout(() => {
      waiting = null;
      deskroomPage.replace(data);
      tell(data.live.state);
    }, 50);
  }

  function follow() {
    source = new EventSource(`events?after=${encodeURIComponent(data.live.name)}`);
    source.addEventListener("message", take);
    source.addEventListener("open", () => tell(data.live.state));
    source.addEventListener("error", () => tell(source.readyState === EventSource.CLOSED ? "over" : "lost"));
    source.addEventListener("over", () => {
      source.close();
      tell("over");
    });
  }

  tell(data.live.state);
  follow();
})();
