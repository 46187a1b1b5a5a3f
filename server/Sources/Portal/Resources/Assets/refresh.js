// Keeps a part of a page current: loads it again every few seconds, on the page of a new app until its first event is there.
(function () {
  "use strict";
  const part = document.querySelector("[data-refresh]");
  if (!part) { return; }
  const address = part.dataset.refresh;
  const seconds = Number(part.dataset.every ?? 5);

  function hasArrived(node) { return node.querySelector("[data-state=on]") !== null; }

  // Replacing the part would clear the reader's selection, close a menu and drop a card that is being dragged.
  function isInUse() {
    return String(getSelection()) !== "" || part.querySelector(".cardmenu[open], .moved") !== null
      || part.querySelector("a:focus-visible, button:focus-visible, summary:focus-visible, input:focus") !== null;
  }

  // Returns true if it has replaced the part.
  async function refresh() {
    if (document.hidden || isInUse()) { return false; }
    const answer = await fetch(address || location.href, { credentials: "same-origin", cache: "no-store" });
    // Someone who has been logged out sees that, rather than old figures.
    if (answer.redirected && part.dataset.every) { location.reload(); }
    if (!answer.ok || answer.redirected) { throw new Error("no answer"); }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-refresh]");
    // While the part waits for an event it would be read aloud again.
    if (!fresh || isInUse() || (address && !hasArrived(fresh))) { return false; }
    const open = Array.from(part.querySelectorAll("details"), (fold) => fold.open);
    part.replaceChildren(...fresh.childNodes);
    part.querySelectorAll("details").forEach((fold, index) => { fold.open = open[index] ?? fold.open; });
    part.dispatchEvent(new Event("refreshed", { bubbles: true }));
    return true;
  }

  function wait() {
    if (hasArrived(part)) { return; }
    setTimeout(() => refresh().then(
      (isFresh) => { if (isFresh) { part.removeAttribute("data-stale"); } },
      () => part.setAttribute("data-stale", "")).then(wait), seconds * 1000);
  }

  wait();
}());
