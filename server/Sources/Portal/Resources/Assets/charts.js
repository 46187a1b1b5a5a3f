// Adds "SVG" and "PNG" below each chart, which save it as one picture with its colours, texts and ground inside. Many programs
// read neither style sheets nor HTML in a picture, nor lines that keep their width when it is stretched: so shapes are drawn
// again with the styles and in the size that they have on the page, and texts where they stand.
(function () {
  "use strict";
  const margin = 16;
  const namespace = document.querySelector("svg")?.namespaceURI;
  // What XML can't have.
  const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

  function element(name, attributes, text) {
    const made = document.createElementNS(namespace, name);
    for (const [key, value] of Object.entries(attributes)) { made.setAttribute(key, value); }
    if (text !== undefined) { made.textContent = text.replace(forbidden, "\u{FFFD}"); }
    return made;
  }

  const rounded = (number) => String(Math.round(number * 100) / 100);

  // The absolute commands of the server's drawings, in the size of the page.
  function scaled(path, matrix) {
    const x = (text) => rounded(Number(text) * matrix.a + matrix.e);
    const y = (text) => rounded(Number(text) * matrix.d + matrix.f);
    return path.replace(/([MLCHVhZ])([^MLCHVhZ]*)/g, (_, command, rest) => {
      const numbers = rest.match(/-?[\d.]+/g) || [];
      if (command === "H") { return `H${x(numbers[0])}`; }
      if (command === "V") { return `V${y(numbers[0])}`; }
      if (command === "h") { return "h0"; }
      return command + numbers.map((text, index) => (index % 2 ? y(text) : x(text))).join(" ");
    });
  }

  // A colour without variables: a gradient's first colour stands for it, since its stops are styled, too.
  function paint(figure, style, property) {
    const gradient = /url\("?#([^")]+)"?\)/.exec(style[property]);
    if (!gradient) { return { [property]: style[property] }; }
    const stop = getComputedStyle(figure.querySelector(`#${CSS.escape(gradient[1])} stop`));
    return { [property]: stop.stopColor, "fill-opacity": rounded(stop.stopOpacity / 2) };
  }

  function shape(figure, source, origin) {
    const style = getComputedStyle(source);
    const box = source.ownerSVGElement.getScreenCTM();
    const matrix = { a: box.a, d: box.d, e: box.e - origin.left, f: box.f - origin.top };
    const looks = {
      ...paint(figure, style, "fill"), stroke: style.stroke, "stroke-width": rounded(parseFloat(style.strokeWidth)),
      "stroke-linecap": style.strokeLinecap, "stroke-linejoin": style.strokeLinejoin, opacity: style.opacity,
    };
    if (style.strokeDasharray !== "none") { looks["stroke-dasharray"] = style.strokeDasharray.replace(/px/g, ""); }
    if (source.tagName === "rect") {
      const value = (name) => Number(source.getAttribute(name));
      return element("rect", {
        x: rounded(value("x") * matrix.a + matrix.e), y: rounded(value("y") * matrix.d + matrix.f),
        width: rounded(value("width") * matrix.a), height: rounded(value("height") * matrix.d), rx: value("rx"), ...looks,
      });
    }
    const path = scaled(source.getAttribute("d"), matrix);
    const dot = /^M(\S+) (\S+?)h0$/.exec(path);
    if (!dot) { return element("path", { d: path, ...looks }); }
    const radius = rounded(parseFloat(style.strokeWidth) / 2);
    return element("circle", { cx: dot[1], cy: dot[2], r: radius, fill: style.stroke, opacity: style.opacity });
  }

  // Each line of a text, since a picture breaks none; what the page cuts off is cut off here.
  function lines(node) {
    const range = document.createRange();
    const bounds = node.parentElement.closest(".name")?.getBoundingClientRect() ?? { left: -Infinity, right: Infinity };
    const found = [];
    for (let index = 0; index < node.length; index += 1) {
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      const box = range.getBoundingClientRect();
      const last = found[found.length - 1];
      if (last && (box.right > bounds.right + 1 || box.left < bounds.left - 1)) {
        last.text = `${Array.from(last.text).slice(0, -1).join("")}…`;
        break;
      }
      if (last && Math.abs(last.box.top - box.top) < 2) {
        last.text += node.data[index];
        // Of a text from right to left, the last character stands first.
        last.left = Math.min(last.left, box.left);
      } else if (box.width && node.data[index].trim() !== "") {
        found.push({ text: node.data[index], box, left: box.left });
      }
    }
    return found;
  }

  function texts(node, origin) {
    const style = getComputedStyle(node.parentElement);
    return lines(node).map(({ text, box, left }) => element("text", {
      x: rounded(left - origin.left), y: rounded(box.top + box.height * 0.79 - origin.top), fill: style.color,
      "font-size": rounded(parseFloat(style.fontSize)), "font-weight": style.fontWeight, "font-family": "sans-serif",
    }, text.trimEnd()));
  }

  // The square of a name in the legend is made by the style sheet alone.
  function square(key, origin) {
    const style = getComputedStyle(key, "::before");
    const box = key.getBoundingClientRect();
    const size = parseFloat(style.width);
    return element("rect", {
      x: rounded(box.left - origin.left), y: rounded(box.top + (box.height - size) / 2 - origin.top), width: size, height: size,
      rx: 3, fill: style.backgroundColor,
    });
  }

  function isShown(node) {
    return node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !node.closest(".tip, .aside, .hit, .back");
  }

  function ground(figure) {
    for (let node = figure; node; node = node.parentElement) {
      const color = getComputedStyle(node).backgroundColor;
      if (!/^rgba\(.*, 0\)$|^transparent$/.test(color)) { return color; }
    }
    return "#ffffff";
  }

  function textWidth(text, font) {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.font = `${font} sans-serif`;
    return canvas.measureText(text).width;
  }

  function picture(figure, title) {
    const box = figure.getBoundingClientRect();
    // Labels of the axis stand below the figure.
    const boxes = [box, ...Array.from(figure.querySelectorAll(".x, .ys"), (node) => node.getBoundingClientRect())];
    const [right, bottom] = [Math.max(...boxes.map((one) => one.right)), Math.max(...boxes.map((one) => one.bottom))];
    // The page and its app, the days, and what they are compared with.
    const days = document.querySelector(".head .sub") ?? document.querySelector(".ask [name=days] option:checked");
    const page = document.title.replace(/ · Tern$/, "");
    const context = days ? `${page} · ${(days.innerText || days.textContent).replace(/\s+/g, " ").trim()}` : page;
    const origin = { left: box.left - margin, top: box.top - margin - 54 };
    const width = Math.ceil(Math.max(
      right - origin.left, margin + textWidth(title, "600 15px"), margin + textWidth(context, "12px")) + margin);
    const height = Math.ceil(bottom - origin.top + margin);
    const drawn = element("svg", { xmlns: namespace, width, height, viewBox: `0 0 ${width} ${height}` });
    const ink = getComputedStyle(figure).color;
    drawn.append(
      element("title", {}, title), element("rect", { width, height, fill: ground(figure) }),
      element("text", { x: margin, y: 30, fill: ink, "font-size": 15, "font-weight": 600, "font-family": "sans-serif" }, title),
      element("text", { x: margin, y: 50, fill: ink, "font-size": 12, "font-family": "sans-serif" }, context));
    const walker = document.createTreeWalker(figure, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const owner = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
      if (owner.closest("title, defs, style") || !isShown(owner)) { continue; }
      if (node.nodeType === Node.TEXT_NODE) {
        drawn.append(...texts(node, origin));
      } else if (node.matches("path, rect")) {
        drawn.append(shape(figure, node, origin));
      } else if (node.matches(".key")) {
        drawn.append(square(node, origin));
      }
    }
    return { text: new XMLSerializer().serializeToString(drawn), width, height };
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  async function savePNG({ text, width, height }, name) {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    // Twice the size, for paper and for dense screens.
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, name), "image/png");
  }

  function addButtons(root) {
    for (const figure of root.querySelectorAll("figure.chart, figure.funnel, .flow > svg")) { addButton(figure); }
  }

  function addButton(figure) {
    const drawing = figure.querySelector("svg[aria-label]");
    const heading = figure.closest("section")?.querySelector("h2, h3");
    const label = drawing?.getAttribute("aria-label") || heading?.textContent.trim() || document.title;
    const title = heading?.textContent.trim() || label;
    // Named by page, app and chart.
    const name = `${document.title.replace(/ · Tern$/, "")} ${label}`.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").slice(0, 120)
      .replace(/^-|-$/g, "");
    const line = document.createElement("p");
    line.className = "save";
    for (const kind of ["SVG", "PNG"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind;
      button.setAttribute("aria-label", `Save as ${kind}: ${label}`);
      button.addEventListener("click", async () => {
        try {
          const made = picture(figure, title);
          if (kind === "PNG") {
            await savePNG(made, `${name}.png`);
          } else {
            save(new Blob([made.text], { type: "image/svg+xml" }), `${name}.svg`);
          }
        } catch {
          button.textContent = `${kind} failed`;
        }
      });
      line.append(button);
    }
    (figure.closest(".flow") ?? figure).after(line);
  }

  addButtons(document);
  document.addEventListener("refreshed", ({ target }) => addButtons(target));
})();
