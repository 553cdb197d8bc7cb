"use strict";
// Shared by all our HTML pages: elements and boards. All text is inserted by textContent.

const SVG = "http://www.w3.org/2000/svg";
const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const COLUMNS = "abcdefgh";
const at = (part) => document.querySelector(`[data-part="${part}"]`);
const key = (square) => COLUMNS[square & 7] + ((square >> 3) + 1);

function make(name, attributes = {}, ...children) {
  const svg = ["svg", "use", "rect", "path", "line", "g", "text", "title"].includes(name);
  const node = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") node.addEventListener("click", value);
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

function boardOf(fen) {
  const board = Array(64).fill("");
  fen.split(" ")[0].split("/").forEach((row, number) => {
    let square = 56 - 8 * number;
    for (const letter of row) {
      if (letter >= "1" && letter <= "8") square += Number(letter);
      else board[square++] = letter;
    }
  });
  return board;
}

function drawBoard(position, upside, arrows = []) {
  const svg = make("svg", { viewBox: "-14 0 374 374", class: "board", role: "img", "aria-label": inWords(position) });
  const place = (square) => {
    const [x, y] = [square & 7, 7 - (square >> 3)];
    return upside ? [45 * (7 - x), 45 * (7 - y)] : [45 * x, 45 * y];
  };
  svg.append(make("use", { href: "#squares", width: 360, height: 360 }));
  svg.append(make("use", { href: upside ? "#labels-turned" : "#labels", x: -14, y: 0, width: 374, height: 374 }));
  for (const square of [position.from, position.to]) {
    if (square === null) continue;
    const [x, y] = place(square);
    const shade = ((square & 7) + (square >> 3)) % 2 ? "light" : "dark";
    svg.append(make("rect", { x, y, width: 45, height: 45, class: `marked ${shade}` }));
  }
  position.board.forEach((piece, square) => {
    if (!piece) return;
    const [x, y] = place(square);
    const name = (piece === piece.toUpperCase() ? "w" : "b") + piece.toLowerCase();
    svg.append(make("use", { href: `#${name}`, x, y, width: 45, height: 45 }));
  });
  for (const [from, to, kind] of arrows) {
    const [[x1, y1], [x2, y2]] = [place(from), place(to)].map(([x, y]) => [x + 22.5, y + 22.5]);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [bx, by] = [x2 - 16 * ux, y2 - 16 * uy];
    svg.append(make("line", { x1, y1, x2: bx, y2: by, class: `arrow ${kind}` }));
    svg.append(make("path", { class: `head ${kind}`, d: `M${x2} ${y2}L${bx - 9 * uy} ${by + 9 * ux}L${bx + 9 * uy} ${by - 9 * ux}Z` }));
  }
  return svg;
}

function inWords(position) {
  const sides = { White: [], Black: [] };
  position.board.forEach((piece, square) => {
    if (piece) sides[piece === piece.toUpperCase() ? "White" : "Black"].push(`${NAMES[piece.toLowerCase()]} ${key(square)}`);
  });
  return `White: ${sides.White.join(", ")}. Black: ${sides.Black.join(", ")}.`;
}
