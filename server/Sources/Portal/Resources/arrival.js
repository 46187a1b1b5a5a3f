// Turns the light green when the first event has arrived: asks the server every few seconds until it has.
(function () {
  "use strict";
  const pause = 3000;
  const panel = document.querySelector("[data-arrival]");
  if (!panel || !window.fetch || !window.DOMParser) { return; }

  function hasArrived() { return panel.querySelector("[data-state=on]") !== null; }

  function ask() {
    if (document.hidden) { return again(); }
    fetch(panel.dataset.arrival, { credentials: "same-origin", cache: "no-store" })
      .then((answer) => (answer.ok && !answer.redirected ? answer.text() : ""))
      .then((text) => {
        const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("[data-arrival]");
        if (fresh && fresh.querySelector("[data-state=on]")) { panel.replaceChildren(...fresh.childNodes); }
      })
      .catch(() => null)
      .then(again);
  }

  function again() { if (!hasArrived()) { window.setTimeout(ask, pause); } }

  again();
}());
