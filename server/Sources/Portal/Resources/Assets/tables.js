// Sorts a table by the column whose heading is clicked, and adds a field that searches the rows of a long one. Without
// script, a table has the order of its report, and the browser's own search finds its rows.
(function () {
  "use strict";
  const fewest = 3, long = 20;
  const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  const texts = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  // A cell's value: a number if its text is an amount, a duration or a date, null if there is none.
  function value(cell) {
    const text = (cell ? cell.querySelector(".change, .value") || cell : { textContent: "" }).textContent.trim();
    if (text === "" || text === "–" || text === "Never") { return null; }
    if (text === "new") { return Infinity; }
    const date = /^(?:\w{3}, )?(\d{1,2}) (\w{3}) (\d{4})(?:, (\d\d):(\d\d)(?::(\d\d))?)?/.exec(text);
    if (date && months.includes(date[2])) {
      return Date.UTC(date[3], months.indexOf(date[2]), date[1], date[4] || 0, date[5] || 0, date[6] || 0);
    }
    const clock = /^(?:([\d,]+):)?(\d\d):(\d\d)$/.exec(text);
    if (clock) { return ((clock[1] || "0").replace(/,/g, "") * 60 + Number(clock[2])) * 60 + Number(clock[3]); }
    const amount = /^([+−-]?)[<#]?\s?([\d,]+(?:\.\d+)?)(?:\s?([kMB]))?(?:\s?(?:%|pp|ms|s|min|h|bytes?))?(?=\s|$)/.exec(text);
    if (!amount) { return text; }
    const size = { k: 1e3, M: 1e6, B: 1e9 }[amount[3]] || 1;
    return Number(amount[2].replace(/,/g, "")) * size * (amount[1] === "−" || amount[1] === "-" ? -1 : 1);
  }

  function compare(left, right) {
    if (typeof left === "number" && typeof right === "number") { return left - right || 0; }
    return texts.compare(left, right);
  }

  // Rows without a value come last in either direction.
  function sort(table, column, isDescending) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [value(row.cells[column]), row]);
    rows.sort(([left], [right]) => {
      if (left === null || right === null) { return (left === null) - (right === null); }
      return isDescending ? compare(right, left) : compare(left, right);
    });
    body.append(...rows.map(([, row]) => row));
  }

  function addSorting(table) {
    const headings = Array.from(table.tHead.rows[0].cells);
    headings.forEach((heading, column) => {
      if (heading.colSpan > 1 || heading.querySelector(".aside") || heading.textContent.trim() === "") { return; }
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const state = heading.getAttribute("aria-sort");
        // Largest numbers first, texts from A.
        const first = Array.from(table.tBodies[0].rows, (row) => value(row.cells[column])).find((one) => one !== null);
        const isDescending = state ? state === "ascending" : typeof first === "number";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
        sort(table, column, isDescending);
      });
    });
  }

  function addSearch(table) {
    const rows = Array.from(table.tBodies[0].rows);
    const label = document.createElement("label");
    const field = document.createElement("input");
    const count = document.createElement("span");
    label.className = "search";
    field.type = "search";
    field.placeholder = `Search ${rows.length.toLocaleString("en")} rows`;
    field.setAttribute("aria-label", "Search these rows");
    count.setAttribute("role", "status");
    label.append(field, count);
    (table.closest(".scroll") || table).before(label);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      count.textContent = words.length ? `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "";
    });
  }

  function improve(tables) {
    for (const table of tables) {
      if (!table.tHead || table.tBodies.length !== 1 || table.tBodies[0].rows.length < fewest) { continue; }
      addSorting(table);
      if (table.tBodies[0].rows.length > long && !table.closest(".figures, .cards")) { addSearch(table); }
    }
  }

  improve(document.querySelectorAll("main table"));
  document.addEventListener("refreshed", ({ target }) => improve(target.querySelectorAll("table")));
}());
