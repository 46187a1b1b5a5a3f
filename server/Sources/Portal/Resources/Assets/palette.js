// Ctrl-K, and the link "Find", open the app's search above the page. Without this script, the link leads to the page of the search, whose
// results are shown here.
"use strict";
for (const finder of document.querySelectorAll("a.finder")) {
  const palette = document.createElement("dialog");
  palette.className = "palette";
  palette.setAttribute("aria-label", "Find");
  let asked = 0;

  const links = () => [...palette.querySelectorAll(".found a")];

  // Shows what a search finds; of several, only the latest.
  async function find(text) {
    const number = ++asked;
    const address = `${finder.href}?q=${encodeURIComponent(text)}`;
    const response = await fetch(address);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (number !== asked) return;
    const [form, found] = [page.querySelector("form.find"), page.querySelector(".found")];
    // After the session has ended, the page asks to log in.
    if (!response.ok || !form || !found) { location.href = address; return; }
    if (palette.childElementCount === 0) { palette.append(form, found); return; }
    palette.querySelector(".found").replaceWith(found);
  }

  async function open() {
    if (palette.open) return;
    document.body.append(palette);
    palette.replaceChildren();
    await find("");
    palette.showModal();
    palette.querySelector("input").focus();
  }

  document.addEventListener("keydown", event => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open();
  });
  finder.addEventListener("click", event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });

  let waiting;
  palette.addEventListener("input", ({ target }) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => find(target.value), 150);
  });
  palette.addEventListener("submit", async event => {
    event.preventDefault();
    clearTimeout(waiting);
    await find(event.target.elements.q.value);
    links()[0]?.click();
  });
  palette.addEventListener("keydown", event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const places = [palette.querySelector("input"), ...links()];
    const place = places.indexOf(document.activeElement) + step;
    places[Math.min(Math.max(place, 0), places.length - 1)].focus();
  });
  // A click beside the search closes it.
  palette.addEventListener("click", ({ target }) => { if (target === palette) palette.close(); });
}
