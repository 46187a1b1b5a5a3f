// Shows new rows as they arrive. Text from clients becomes text nodes only.
(function () {
  "use strict";
  const panel = document.querySelector("[data-stream]");
  if (!panel || !window.EventSource) { return; }

  const list = panel.querySelector(".stream");
  const state = panel.querySelector(".state");
  const word = state.querySelector(".word");
  const rate = panel.querySelector(".rate");
  const most = 200;
  // The times at which the rows of the last minute arrived, the oldest first.
  const arrivals = panel.dataset.ages.split(" ").filter(Boolean).map((age) => Date.now() - age).reverse();
  const captions = {
    event: "Event", screen: "Screen", session_start: "Session", drops: "Drops", handled_error: "Error", attachment: "File",
    crash: "Crash", other: "Other"
  };
  const clock = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false, timeZone: panel.dataset.zone
  });
  const countries = new Intl.DisplayNames("en", { type: "region", fallback: "code" });
  function country(code) { return /^[A-Z]{2}$/.test(code) ? countries.of(code) : code; }
  let newest = Array.from(list.children).reduce((id, row) => Math.max(id, Number(row.dataset.id)), 0);

  // Control and direction characters are written out: they could make a name read as another.
  const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
  // A text that shows nothing at all is written out whole.
  const blank = /^[\s\p{C}\p{Mn}\p{Default_Ignorable_Code_Point}\u2800]+$/u;
  function escape(character) { return "\\u{" + character.codePointAt(0).toString(16).toUpperCase() + "}"; }
  function visible(value, limit) {
    const text = Array.from(String(value));
    const start = text.slice(0, limit);
    const end = text.length > limit ? "…" : "";
    if (blank.test(start.join(""))) { return start.map(escape).join("") + end; }
    return start.join("").replace(hidden, escape) + end;
  }

  function element(tag, name, text) {
    const node = document.createElement(tag);
    if (name) { node.className = name; }
    if (text !== undefined) { node.textContent = text; }
    return node;
  }

  function isolated(tag, name, text, limit) {
    const node = element(tag, name);
    node.append(element("bdi", "", visible(text, limit)));
    return node;
  }

  // The page's address with one more filter, or null if it has no room for one.
  function picked(dimension, value) {
    if (value === "") { return null; }
    const name = /[ "]/.test(dimension) ? `"${dimension.replaceAll('"', '""')}"` : dimension;
    const url = new URL(window.location.href);
    let number = 1;
    for (let text; (text = url.searchParams.get(`f${number}`)) !== null && !text.startsWith(`${name} is `);) { number += 1; }
    url.searchParams.set(`f${number}`, `${name} is ${value}`);
    return number > 20 ? null : url.pathname + url.search;
  }

  // A text that leads to the page with a filter for it.
  function pick(name, dimension, value) {
    const address = picked(dimension, value);
    const node = element(address ? "a" : "span", address ? `${name} narrows`.trim() : name);
    if (address) { node.href = address; node.title = "Filter by this"; }
    return node;
  }

  function chip(term, value) {
    const node = pick("chip", "property:" + term, String(value));
    node.append(element("bdi", "", visible(term, 60)));
    node.append(" ", isolated("b", "", value === "" ? "(empty)" : value, 120));
    return node;
  }

  function link(dimension, value, shown, limit) {
    const node = pick("", dimension, value);
    node.append(element("bdi", "", visible(shown, limit)));
    return node;
  }

  function row(event) {
    const kind = Object.hasOwn(captions, event.kind) ? event.kind : "other";
    const node = element("li", kind + " fresh");
    const time = element("time", "", clock.format(new Date(event.received)));
    const what = element("div", "what");
    const who = element("div", "who");
    const places = [
      ["user", event.user], ["model", event.model], ["version", event.version], ["country", event.country]
    ].filter((place) => place[1]);
    node.dataset.id = event.id;
    time.dateTime = event.received;
    const title = element("strong");
    if ((kind === "event" || kind === "screen") && event.name) {
      title.append(link(kind, event.name, event.name, 300));
    } else {
      title.append(element("bdi", "", visible(kind === "session_start" ? "Session started" : event.name || "–", 300)));
    }
    what.append(title);
    Object.keys(event.properties || {}).forEach(function (term) { what.append(chip(term, event.properties[term])); });
    const install = element("a", "install", "#" + event.install);
    install.href = panel.dataset.people + Number(event.install);
    who.append(install);
    places.forEach(([dimension, value], index) => {
      who.append(index ? " · " : " ", link(dimension, value, dimension === "country" ? country(value) : value, 200));
    });
    node.append(time, element("span", "badge", captions[kind]), what, who);
    return node;
  }

  function show(key, text) {
    state.dataset.state = key;
    word.textContent = text;
  }

  function count() {
    const limit = Date.now() - 60000;
    while (arrivals.length && arrivals[0] < limit) { arrivals.shift(); }
    rate.querySelector("b").textContent = arrivals.length.toLocaleString("en-US");
  }

  // What the filter hides stays in the list, and appears again when the filter changes.
  const bar = panel.querySelector(".livebar");
  const pause = bar.querySelector(".pause");
  const held = 1000;
  let isPaused = false;
  let waiting = [];

  function filter(rows) {
    const kind = bar.elements.kind.value;
    const words = bar.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const node of rows) {
      const text = words.length ? node.textContent.toLowerCase() : "";
      node.hidden = !((kind === "" || node.classList.contains(kind)) && words.every((word) => text.includes(word)));
    }
  }

  function trim() {
    let shown = 0;
    Array.from(list.children).forEach((node, index) => {
      shown += !node.hidden;
      if (shown > most || index >= held) { node.remove(); }
    });
  }

  // Rows that arrive together are added together: one layout instead of hundreds.
  function flush() {
    if (isPaused) { return; }
    const rows = waiting.splice(0).reverse().map((make) => make());
    filter(rows);
    list.prepend(...rows);
    trim();
    const hint = panel.querySelector(".waiting");
    if (hint && rows.length) { hint.remove(); }
    count();
  }

  // Adds a row, which is made when it is shown.
  function arrive(id, make) {
    // After a reconnect the server may repeat rows.
    if (!(id > newest)) { return; }
    newest = id;
    arrivals.push(Date.now());
    if (!waiting.length) { window.requestAnimationFrame(flush); }
    waiting.push(make);
    // A page in the background draws no frames; keep no more than it can show.
    if (waiting.length > most) { waiting.shift(); }
    if (isPaused) { label(); }
  }

  function label() {
    pause.textContent = isPaused ? (waiting.length ? `Resume (${waiting.length.toLocaleString("en-US")} new)` : "Resume") : "Pause";
    pause.setAttribute("aria-pressed", String(isPaused));
  }

  function toggle() {
    isPaused = !isPaused;
    label();
    flush();
  }

  bar.hidden = false;
  pause.addEventListener("click", toggle);
  bar.addEventListener("submit", (event) => event.preventDefault());
  bar.addEventListener("input", () => { filter(list.children); });
  bar.addEventListener("change", () => { filter(list.children); });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest && event.target.closest("input, select, textarea");
    if (event.key.toLowerCase() === "p" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) { toggle(); }
  });

  // The server sends something at once, and then every 15 seconds. Silence means that a proxy holds the stream back or
  // has cut it: the page connects anew, and when that does not help, loads the rows every few seconds.
  const silence = 40000, first = 8000, interval = 5000;
  let source = null, watch = null, delay = 2000, failures = 0;

  function heard() {
    failures = 0;
    delay = 2000;
    show("on", "Live");
    wait(silence);
  }

  function wait(limit) {
    window.clearTimeout(watch);
    watch = window.setTimeout(() => {
      failures += 1;
      source.close();
      if (failures > 1) { poll(); } else { connect(); }
    }, limit);
  }

  function connect() {
    source = new EventSource(panel.dataset.stream.replace(/after=\d+/, `after=${newest}`));
    wait(first);
    source.addEventListener("alive", heard);
    source.onmessage = (message) => {
      heard();
      try {
        const event = JSON.parse(message.data);
        arrive(event.id, () => row(event));
      } catch (error) { /* Half a row: the next connection sends it whole. */ }
    };
    source.onerror = () => {
      show("wait", "Connection lost, trying again…");
      // The browser itself tries again unless the answer was an error.
      if (source.readyState !== EventSource.CLOSED) { return; }
      window.clearTimeout(watch);
      window.setTimeout(connect, delay);
      delay = Math.min(2 * delay, 60000);
    };
  }

  function poll() {
    fetch(window.location.href, { credentials: "same-origin", cache: "no-store" })
      .then((answer) => (answer.ok && !answer.redirected ? answer.text() : Promise.reject(answer.status)))
      .then((text) => {
        const page = new DOMParser().parseFromString(text, "text/html");
        // The page has the newest row first.
        const rows = Array.from(page.querySelectorAll(".stream > li")).reverse();
        rows.forEach((node) => { arrive(Number(node.dataset.id), () => node); });
        show("on", "Live, every 5 seconds");
      })
      .catch(() => show("wait", "Connection lost, trying again…"))
      .then(() => window.setTimeout(poll, interval));
  }

  show("wait", "Connecting…");
  connect();
  window.setInterval(count, 1000);
  window.addEventListener("pagehide", () => { source.close(); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) { window.location.reload(); } });
}());
