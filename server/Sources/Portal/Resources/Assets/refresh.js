// Keeps a part of a page current: loads it again every few seconds, on the page of a new app until its first event is there.
(function () {
  "use strict";
  const part = document.querySelector("[data-refresh]");
  if (!part) { return; }
  const address = part.dataset.refresh;

  function hasArrived(node) { return node.querySelector("[data-state=on]") !== null; }

  async function refresh() {
    if (document.hidden) { return; }
    const answer = await fetch(address || location.href, { credentials: "same-origin", cache: "no-store" });
    if (!answer.ok || answer.redirected) { return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-refresh]");
    // Replacing the part clears the reader's selection, and while it waits for an event it would be read aloud again.
    if (!fresh || String(getSelection()) !== "" || (address && !hasArrived(fresh))) { return; }
    part.replaceChildren(...fresh.childNodes);
  }

  function wait() {
    if (!hasArrived(part)) { setTimeout(() => refresh().catch(() => null).then(wait), 5000); }
  }

  wait();
}());
