// On a narrow screen the menu is one scrolling line: shows the current page's entry.
"use strict";
for (const menu of document.querySelectorAll(".menu, .quick.reports")) {
  const entry = menu.querySelector("[aria-current]");
  if (entry) menu.scrollLeft = entry.offsetLeft - (menu.clientWidth - entry.offsetWidth) / 2;
}

// Adds a button that copies to every sample and key. Browsers allow copying over HTTPS and on the local computer only.
for (const code of navigator.clipboard ? document.querySelectorAll(".setup pre > code, .keys dd > code") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  (code.closest("pre") ?? code).after(button);
}

// Suggests the names of properties, with their numbers of rows, once a dimension is about to be typed.
for (const form of document.querySelectorAll("form[data-properties]")) {
  let isLoaded = false;
  form.addEventListener("focusin", async ({ target }) => {
    const list = target.getAttribute("list") === "dimensions" && document.getElementById("dimensions");
    if (!list || isLoaded) return;
    isLoaded = true;
    const answer = await fetch(form.dataset.properties).catch(() => null);
    for (const { value, rows } of answer?.ok ? await answer.json() : []) {
      list.append(new Option(`${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}`, value));
    }
  });
}

// Suggests values for a filter, with their numbers of users, once its value is about to be typed.
for (const form of document.querySelectorAll("form[data-values]")) {
  form.addEventListener("focusin", async ({ target }) => {
    const number = /^v(\d)$/.exec(target.name)?.[1];
    const dimension = number && form.elements[`f${number}`].value;
    if (!dimension || target.dataset.dimension === dimension) return;
    target.dataset.dimension = dimension;
    const answer = await fetch(`${form.dataset.values}?dimension=${encodeURIComponent(dimension)}`).catch(() => null);
    const list = document.createElement("datalist");
    list.id = `values-${number}`;
    for (const { value, users } of answer?.ok ? await answer.json() : []) {
      list.append(new Option(`${users.toLocaleString("en")} ${users === 1 ? "user" : "users"}`, value));
    }
    document.getElementById(list.id)?.remove();
    form.append(list);
    target.setAttribute("list", list.id);
  });
}
