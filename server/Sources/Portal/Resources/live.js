// Shows new rows as they arrive. Text from clients becomes text nodes only.
(function () {
  "use strict";
  var panel = document.querySelector("[data-stream]");
  if (!panel || !window.EventSource) { return; }

  var list = panel.querySelector(".stream");
  var state = panel.querySelector(".state");
  var word = state.querySelector(".word");
  var rate = panel.querySelector(".rate");
  var most = 200;
  var arrivals = [];
  var captions = {
    event: "Event", screen: "Screen", session_start: "Session", drops: "Drops", handled_error: "Error", attachment: "File",
    crash: "Crash", other: "Other"
  };
  var clock = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false, timeZone: panel.dataset.zone
  });
  var newest = Array.from(list.children).reduce(function (id, row) { return Math.max(id, Number(row.dataset.id)); }, 0);

  // Control and direction characters are written out: they could make a name read as another.
  var hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
  // A text that shows nothing at all is written out whole.
  var blank = /^[\s\p{C}\p{Mn}\p{Default_Ignorable_Code_Point}\u2800]+$/u;
  function escape(character) { return "\\u{" + character.codePointAt(0).toString(16).toUpperCase() + "}"; }
  function visible(value, limit) {
    var text = Array.from(String(value));
    var start = text.slice(0, limit);
    var end = text.length > limit ? "…" : "";
    if (blank.test(start.join(""))) { return start.map(escape).join("") + end; }
    return start.join("").replace(hidden, escape) + end;
  }

  function element(tag, name, text) {
    var node = document.createElement(tag);
    if (name) { node.className = name; }
    if (text !== undefined) { node.textContent = text; }
    return node;
  }

  function isolated(tag, name, text, limit) {
    var node = element(tag, name);
    node.append(element("bdi", "", visible(text, limit)));
    return node;
  }

  function chip(term, value) {
    var node = isolated("span", "chip", term, 60);
    node.append(" ", isolated("b", "", value === "" ? "(empty)" : value, 120));
    return node;
  }

  function row(event) {
    var kind = Object.hasOwn(captions, event.kind) ? event.kind : "other";
    var node = element("li", kind + " fresh");
    var time = element("time", "", clock.format(new Date(event.received)));
    var what = element("div", "what");
    var who = element("div", "who");
    var place = [event.user, event.model, event.version, event.country].filter(Boolean).join(" · ");
    node.dataset.id = event.id;
    time.dateTime = event.received;
    what.append(isolated("strong", "", kind === "session_start" ? "Session started" : event.name || "–", 300));
    Object.keys(event.properties || {}).forEach(function (term) { what.append(chip(term, event.properties[term])); });
    var install = element("a", "install", "#" + event.install);
    install.href = panel.dataset.people + Number(event.install);
    who.append(install, " ", element("bdi", "", visible(place, 200)));
    node.append(time, element("span", "badge", captions[kind]), what, who);
    return node;
  }

  function show(key, text) {
    state.dataset.state = key;
    word.textContent = text;
  }

  function count() {
    var limit = Date.now() - 60000;
    while (arrivals.length && arrivals[0] < limit) { arrivals.shift(); }
    rate.hidden = false;
    rate.querySelector("b").textContent = arrivals.length.toLocaleString("en-US");
  }

  // Rows that arrive together are added together: one layout instead of hundreds.
  var waiting = [];
  function flush() {
    var rows = document.createDocumentFragment();
    waiting.splice(0).slice(-most).reverse().forEach(function (event) { rows.append(row(event)); });
    list.prepend(rows);
    while (list.children.length > most) { list.lastElementChild.remove(); }
    var hint = panel.querySelector(".waiting");
    if (hint) { hint.remove(); }
    count();
  }

  var source = new EventSource(panel.dataset.stream);
  show("wait", "Connecting…");
  source.onopen = function () { show("on", "Live"); };
  source.onerror = function () {
    if (source.readyState === EventSource.CLOSED) { show("off", "Disconnected. Reload the page to try again."); }
    else { show("wait", "Connection lost, trying again…"); }
  };
  source.onmessage = function (message) {
    var event;
    try { event = JSON.parse(message.data); } catch (error) { return; }
    // After a reconnect the server may repeat rows.
    if (!(event.id > newest)) { return; }
    newest = event.id;
    arrivals.push(Date.now());
    if (!waiting.length) { window.requestAnimationFrame(flush); }
    waiting.push(event);
    // A page in the background draws no frames; keep no more than it can show.
    if (waiting.length > most) { waiting.shift(); }
  };
  window.setInterval(count, 1000);
  window.addEventListener("pagehide", function () { source.close(); });
  window.addEventListener("pageshow", function (event) { if (event.persisted) { window.location.reload(); } });
}());
