// Adds a calendar to every field for a day, which is written as YYYY-MM-DD: the browser's own field would show it in the
// browser's language.
(function () {
  "use strict";
  const months = "January February March April May June July August September October November December".split(" ");
  const millisecondsPerDay = 86400000;
  let open = null;

  function parsed(text) {
    const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text.trim());
    const day = parts && new Date(Date.UTC(parts[1], parts[2] - 1, parts[3]));
    return day && text.trim() === written(day) ? day : null;
  }
  function written(day) { return day.toISOString().slice(0, 10); }
  function moved(day, by) { return new Date(day.getTime() + by * millisecondsPerDay); }

  function element(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const name of Object.keys(attributes)) { node.setAttribute(name, attributes[name]); }
    node.append(...children);
    return node;
  }

  function close(focus) {
    if (!open) { return; }
    open.box.remove();
    open.button.setAttribute("aria-expanded", "false");
    if (focus) { open.button.focus(); }
    open = null;
  }

  // Draws the month of a day, and puts the focus on that day.
  function draw(day) {
    const { box, field } = open;
    const latest = parsed(field.dataset.latest || "") || null;
    const first = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1));
    const step = (label, text, by) => {
      const button = element("button", { type: "button", "aria-label": label }, text);
      button.addEventListener("click", () => {
        draw(new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + by, 1)));
        box.querySelector(`[aria-label="${label}"]`).focus();
      });
      return button;
    };
    const name = `${months[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
    const head = element("div", { class: "month" }, step("Previous month", "‹", -1), element("strong", { "aria-live": "polite" }, name),
      step("Next month", "›", 1));
    const grid = element("div", { class: "monthdays" });
    ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"].forEach((short) => grid.append(element("span", { "aria-hidden": "true" }, short)));
    // Weeks begin on Monday.
    for (let index = 0; index < (first.getUTCDay() + 6) % 7; index += 1) { grid.append(element("span", {})); }
    for (let one = first; one.getUTCMonth() === first.getUTCMonth(); one = moved(one, 1)) {
      const text = written(one);
      const button = element("button", { type: "button", "data-day": text, tabindex: text === written(day) ? "0" : "-1",
        "aria-label": `${one.getUTCDate()} ${name}` }, String(one.getUTCDate()));
      if (text === field.value.trim()) { button.setAttribute("aria-current", "date"); }
      button.disabled = latest !== null && one > latest;
      grid.append(button);
    }
    box.replaceChildren(head, grid);
    (box.querySelector(`[data-day="${written(day)}"]:not(:disabled)`) || head.firstChild).focus();
  }

  function show(field, button) {
    close(false);
    const box = element("div", { class: "calendar", role: "dialog", "aria-label": "Choose a day" });
    button.after(box);
    button.setAttribute("aria-expanded", "true");
    open = { box, field, button };
    draw(parsed(field.value) || parsed(field.dataset.latest || "") || new Date());
    box.addEventListener("click", ({ target }) => {
      if (!target.dataset.day) { return; }
      field.value = target.dataset.day;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      close(true);
    });
    box.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
      const day = parsed(event.target.dataset.day || "");
      if (event.key === "Escape") { close(true); }
      if (!by || !day) { return; }
      event.preventDefault();
      const latest = parsed(field.dataset.latest || "");
      if (!latest || moved(day, by) <= latest) { draw(moved(day, by)); }
    });
  }

  for (const field of document.querySelectorAll("input[data-calendar]")) {
    const button = element("button", { type: "button", class: "pick", "aria-label": `Choose: ${field.getAttribute("aria-label") || "day"}`,
      "aria-expanded": "false" });
    const frame = element("span", { class: "dayfield" });
    field.replaceWith(frame);
    frame.append(field, button);
    // In a label, a click on the calendar would go to the field.
    frame.addEventListener("click", (event) => { if (event.target !== field) { event.preventDefault(); } });
    button.addEventListener("click", () => (open && open.button === button ? close(true) : show(field, button)));
  }
  document.addEventListener("click", (event) => { if (open && !event.composedPath().includes(open.box.parentNode)) { close(false); } });
}());
