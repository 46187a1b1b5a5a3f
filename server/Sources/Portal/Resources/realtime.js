// Keeps the real-time page current: loads the page again and replaces its lists.
(function () {
  "use strict";
  var pause = 5000;
  var lists = document.querySelector("[data-refresh]");
  if (!lists || !window.fetch || !window.DOMParser) { return; }

  function again() { window.setTimeout(refresh, pause); }

  function show(text) {
    var fresh = new DOMParser().parseFromString(text, "text/html").querySelector("[data-refresh]");
    // Replacing the lists would clear the reader's selection.
    if (fresh && String(window.getSelection()) === "") { lists.replaceChildren.apply(lists, Array.from(fresh.childNodes)); }
  }

  function refresh() {
    if (document.hidden) { return again(); }
    fetch(window.location.href, { credentials: "same-origin", cache: "no-store" })
      .then(function (answer) { return answer.ok && !answer.redirected ? answer.text().then(show) : null; })
      .catch(function () { return null; })
      .then(again);
  }

  again();
})();
