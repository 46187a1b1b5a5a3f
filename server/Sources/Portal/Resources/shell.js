// On a narrow screen the menu is one scrolling line: shows the current page's entry.
"use strict";
for (const menu of document.querySelectorAll(".menu, .quick.reports")) {
  const entry = menu.querySelector("[aria-current]");
  if (entry) menu.scrollLeft = entry.offsetLeft - (menu.clientWidth - entry.offsetWidth) / 2;
}
