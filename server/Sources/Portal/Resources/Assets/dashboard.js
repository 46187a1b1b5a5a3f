// Moves the cards of a dashboard by dragging, which posts the form that the buttons of each card post, too. Listens to the whole
// board, because refresh.js replaces the cards.
(function () {
  "use strict";
  const board = document.querySelector(".cards");
  if (!board) { return; }
  board.classList.add("movable");
  let moved = null;
  let target = null;

  function mark(card) {
    target?.classList.remove("target");
    target = card;
    target?.classList.add("target");
  }

  board.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest(".grip");
    if (!grip || event.button !== 0) { return; }
    event.preventDefault();
    moved = grip.closest("[data-card]");
    moved.classList.add("moved");
    grip.setPointerCapture(event.pointerId);
  });
  board.addEventListener("pointermove", (event) => {
    if (!moved) { return; }
    const card = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-card]");
    mark(card && card !== moved ? card : null);
  });

  // Returns the card that was dragged, and the place where it was.
  function release() {
    const [card, place] = [moved, target?.dataset.card];
    card.classList.remove("moved");
    moved = null;
    mark(null);
    return [card, place];
  }

  for (const end of ["pointerup", "pointercancel"]) {
    board.addEventListener(end, () => {
      if (!moved) { return; }
      const [card, place] = release();
      const form = card.querySelector("form.move");
      if (end !== "pointerup" || place === undefined) { return; }
      const field = document.createElement("input");
      [field.type, field.name, field.value] = ["hidden", "to", place];
      form.append(field);
      form.submit();
    });
  }

  function closeMenus(but) {
    for (const menu of board.querySelectorAll(".cardmenu[open]")) {
      if (menu.contains(but)) { continue; }
      if (menu.contains(document.activeElement)) { menu.querySelector("summary").focus(); }
      menu.open = false;
    }
  }

  document.addEventListener("click", (event) => closeMenus(event.target));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") { return; }
    if (moved) { release(); }
    closeMenus(null);
  });

  // Leaves out the browser's own bars, which only someone's click may do.
  const fill = document.querySelector("[data-fill]");
  if (fill && document.fullscreenEnabled) {
    fill.hidden = false;
    fill.addEventListener("click", () => document.documentElement.requestFullscreen());
  }
}());
