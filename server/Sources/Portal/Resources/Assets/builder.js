// Forms that ask questions: rows for more filters and steps, and suggestions with counts.
"use strict";

// The rows that can be added: the letter of their first field, and their greatest number.
const kinds = {
  filter: { letter: "f", most: 20 }, step: { letter: "k", most: 8 }, condition: { letter: "h", most: 20 },
};

const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

async function fetched(address) {
  const answer = await fetch(address).catch(() => null);
  return answer?.ok ? answer.json() : [];
}

// The style sheet shows forms on wide screens as if they were open. Programs that read the page go by the attribute.
const wide = matchMedia("(min-width: 821px)");
const unfold = () => {
  for (const form of wide.matches ? document.querySelectorAll("details.folded") : []) form.open = true;
};
wide.addEventListener("change", unfold);
unfold();

for (const form of document.querySelectorAll("form[data-values]")) {
  // Adds a row from its template, numbered after those in the form.
  const add = (button) => {
    const kind = button.dataset.add;
    const row = form.querySelector(`template[data-row="${kind}"]`).content.firstElementChild.cloneNode(true);
    const { letter, most } = kinds[kind];
    const numbers = [...form.elements].map((field) => new RegExp(`^${letter}(\\d+)$`).exec(field.name)?.[1] ?? 0);
    const number = Math.max(0, ...numbers) + 1;
    if (number > most) return null;
    for (const field of row.querySelectorAll("[name]")) field.name = field.name.replace(/\d+$/, number);
    button.before(row, " ");
    removable(row);
    return row;
  };
  // Adds a button that removes a row.
  const removable = (row) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "remove";
    button.textContent = "×";
    button.setAttribute("aria-label", row.classList.contains("step") ? "Remove this step" : "Remove this filter");
    button.addEventListener("click", () => {
      const next = row.parentElement.querySelector("button.add");
      row.remove();
      next?.focus();
    });
    row.append(button);
  };
  for (const button of form.querySelectorAll("button.add")) {
    button.hidden = false;
    button.addEventListener("click", () => add(button)?.querySelector("input")?.focus());
  }
  [...form.querySelectorAll(".phrase.step, .phrase.filter")].forEach((row, index) => {
    if (row.classList.contains("filter") || index > 1) removable(row);
  });

  // Properties, once a field is about to name one.
  let hasProperties = false;
  form.addEventListener("focusin", async ({ target }) => {
    if (hasProperties || !["dimensions", "properties"].includes(target.getAttribute("list"))) return;
    hasProperties = true;
    for (const { value, rows } of await fetched(form.dataset.properties)) {
      const label = counted(rows, "row");
      form.querySelector("#dimensions").append(new Option(label, value));
      form.querySelector("#properties").append(new Option(label, value.replace(/^property:/, "")));
    }
  });
  // Events and screens, once a field is about to name one, unless the page has them.
  let hasNames = form.querySelectorAll("#names option").length > 0;
  form.addEventListener("focusin", async ({ target }) => {
    if (hasNames || target.getAttribute("list") !== "names") return;
    hasNames = true;
    for (const kind of ["event", "screen"]) {
      for (const { value, users } of await fetched(`${form.dataset.values}?dimension=${kind}`)) {
        const option = new Option(`${kind}, ${counted(users, "user")}`, value);
        option.dataset.kind = kind;
        form.querySelector("#names").append(option);
      }
    }
  });
  // The values of a filter, once one is about to be typed.
  form.addEventListener("focusin", async ({ target }) => {
    const number = /^v(\d+)$/.exec(target.name)?.[1];
    const dimension = number && form.elements[`f${number}`].value;
    if (!dimension || target.dataset.dimension === dimension) return;
    target.dataset.dimension = dimension;
    const list = document.createElement("datalist");
    list.id = `values-${number}`;
    const values = await fetched(`${form.dataset.values}?dimension=${encodeURIComponent(dimension)}`);
    for (const { value, name, users } of values) {
      list.append(new Option(name ? `${name}, ${counted(users, "user")}` : counted(users, "user"), value));
    }
    document.getElementById(list.id)?.remove();
    form.append(list);
    target.setAttribute("list", list.id);
  });
  // A name that only screens have, or only events, chooses their kind.
  form.addEventListener("change", ({ target }) => {
    if (target.getAttribute("list") !== "names") return;
    const found = [...form.querySelectorAll("#names option")]
      .filter((option) => option.value === target.value).map((option) => option.dataset.kind);
    const kind = form.elements[target.name.replace("n", "k")];
    if (kind && found.length === 1) kind.value = found[0];
  });
}
