// On a narrow screen the reports of a view are one scrolling line: shows the current page's entry.
"use strict";
for (const menu of document.querySelectorAll(".quick.reports")) {
  const entry = menu.querySelector("[aria-current]");
  if (entry) menu.scrollLeft = entry.offsetLeft - (menu.clientWidth - entry.offsetWidth) / 2;
}

// Adds a button that copies to every sample, key and shortened identifier. Browsers allow copying over HTTPS and on the
// local computer only.
const samples = ".setup pre > code, .keys dd > code, .secret code, [data-copy]";
for (const code of navigator.clipboard ? document.querySelectorAll(samples) : []) {
  const text = code.dataset.copy ?? code.textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  if (/^T[DH]$/.test(code.tagName)) { code.append(button); } else { (code.closest("pre") ?? code).after(button); }
}

// Pages that show progress reload.
for (const wall of document.querySelectorAll("[data-reload]")) {
  setTimeout(() => location.reload(), Number(wall.dataset.reload) * 1000);
}

// A form that someone unfolds is ready to be filled in.
document.addEventListener("toggle", ({ target }) => {
  if (target.open && !target.matches(".cardmenu") && document.activeElement?.parentNode === target) {
    target.querySelector("form[method=post] :is(input:not([type=hidden]), select, textarea)")?.focus();
  }
}, true);
