// The games of the report: each is data until it is chosen. All text is inserted by textContent.
(() => {
  const GAMES = document.querySelectorAll("script.data"); // parsed when the game is chosen
  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const CALLED = { "??": "blunder", "?": "mistake", "?!": "inaccuracy", "!": "only move" };
  const CLASSES = { "??": "blunder", "?": "mistake", "?!": "inaccuracy", "!": "only" };

  // Positions

  const MOVE = /([\w-])([\w-])(?:'(\w+)')?(=[QRBN])?([+#]?)/g;

  // Plays a move on a copy of the board: `san` is its notation, `from` and `to` the squares to mark.
  function play(board, [, first, second, which = "", promoted = "", end]) {
    board = board.slice();
    let [from, to] = [ALPHABET.indexOf(first), ALPHABET.indexOf(second)];
    const piece = board[from], kind = piece.toUpperCase(), white = piece === kind;
    if (kind === "K" && board[to] === (white ? "R" : "r")) {
      const [san, king, rook] = to > from ? ["O-O", 6, 5] : ["O-O-O", 2, 3];
      board[from] = board[to] = "";
      board[(from & 56) + king] = piece;
      board[(from & 56) + rook] = white ? "R" : "r";
      return { board, from, to: (from & 56) + king, san: san + end };
    }
    const pawn = kind === "P";
    const takes = board[to] !== "" || (pawn && (from & 7) !== (to & 7));
    if (takes && !board[to]) board[(from & 56) + (to & 7)] = ""; // en passant
    board[to] = promoted ? (white ? promoted[1] : promoted[1].toLowerCase()) : piece;
    board[from] = "";
    const man = pawn ? (takes ? COLUMNS[from & 7] : "") : kind + which;
    return { board, from, to, san: man + (takes ? "x" : "") + key(to) + promoted + end };
  }

  function follow(board, line) { // the positions after each move of a line
    const found = [];
    for (const move of line.matchAll(MOVE)) found.push(play(found.length ? found.at(-1).board : board, move));
    return found;
  }

  // Numbers

  function rounded(value, digits = 0) { // rounds halves up, as rounding.py does
    const scale = 10 ** digits;
    return (Math.floor(value * scale + 0.5) / scale).toFixed(digits);
  }

  function win(score) { // rounded to two decimals, as in the JSON document
    let pawns = score.startsWith("#") ? (score[1] === "-" ? -1000 : 1000) : Number(score);
    pawns = Math.max(-1000, Math.min(1000, pawns));
    return Number((100 / (1 + Math.exp(-0.00368208 * pawns))).toFixed(2));
  }

  function show(score) {
    if (score.startsWith("#")) return score === "#0" || score === "#-0" ? "#" : score;
    const sign = score < 0 ? "−" : score > 0 ? "+" : "";
    return sign + (Math.abs(score) / 100).toFixed(2);
  }

  // A game, unpacked

  function unpack(data) {
    const [, turn, , , , number] = data.fen.split(" ");
    const start = { board: boardOf(data.fen), from: null, to: null };
    const moves = follow(start.board, data.moves);
    return {
      data,
      sans: moves.map((move) => move.san),
      first: 2 * (Number(number) - 1) + (turn === "b" ? 1 : 0),
      positions: [start, ...moves],
      scores: data.scores.split(" "),
    };
  }

  const isWhite = (game, ply) => (game.first + ply) % 2 === 0; // whether White is to move after so many plies
  function numbered(game, ply) { // the number before the move that leads to `ply`
    const half = game.first + ply - 1;
    return `${(half >> 1) + 1}${half % 2 ? "…" : "."}`;
  }
  function signed(ply) { // with the source's sign, and separately ours if it differs
    const [ours, theirs] = [game.data.signs[ply] || "", game.data.source_signs[ply] || ""];
    const apart = theirs && ours && ours !== theirs ? ` ${ours}` : "";
    return `${game.sans[ply - 1]}${theirs || ours}${apart}`;
  }
  const lineOf = (game, ply) => follow(game.positions[ply].board, game.data.lines[ply]);
  const threatOf = (game, ply) => follow(game.positions[ply].board, game.data.threats[ply] || "");

  let game = null, ply = 0, line = null, flipped = false;

  // The parts that follow the cursor

  function go(to, bestLine = null) {
    ply = Math.max(0, Math.min(game.sans.length, to));
    line = bestLine;
    const position = line ? line.positions[line.at - 1] : game.positions[ply];
    const [threat] = threatOf(game, ply);
    at("board").replaceChildren(drawBoard(position, flipped, threat && !line ? [[threat.from, threat.to, "threat"]] : []));
    const score = game.scores[ply];
    const chance = win(score);
    at("bar").replaceChildren(make("svg", { viewBox: "0 0 20 374", preserveAspectRatio: "none", class: "bar", "aria-hidden": "true" },
      make("rect", { width: 20, height: 360, class: "black" }),
      make("rect", { y: flipped ? 0 : 360 - 3.6 * chance, width: 20, height: 3.6 * chance, class: "white" }),
      make("line", { x1: 0, x2: 20, y1: 180, y2: 180, class: "middle" })));
    if (ply || location.hash)
      try { history.replaceState(null, "", `#${game.number + 1}.${ply}`); } catch { /* keep the address */ }
    const move = ply ? `${numbered(game, ply)} ${signed(ply)}` : "Start";
    at("score").replaceChildren(make("strong", {}, show(score)), ` after ${move}, depth ${game.data.depths[ply]}`);
    at("score").dataset.ply = ply;
    at("say").textContent = line ? line.positions[line.at - 1].san : spoken(ply);
    drawLines();
    const old = document.querySelector('.moves [aria-current="true"]');
    if (old) old.removeAttribute("aria-current");
    const now = document.querySelector(`.moves [data-ply="${ply}"]`);
    if (now) {
      now.setAttribute("aria-current", "true");
      const box = at("moves");
      if (now.offsetTop < box.scrollTop || now.offsetTop + now.offsetHeight > box.scrollTop + box.clientHeight)
        box.scrollTop = now.offsetTop - box.clientHeight / 2;
    }
    const cursor = document.querySelector(".graph .cursor");
    if (cursor) for (const end of ["x1", "x2"]) cursor.setAttribute(end, across(ply));
  }

  function spoken(ply) {
    if (!ply) return "Start";
    const sign = game.data.signs[ply];
    const [best] = sign ? lineOf(game, ply - 1) : [];
    let words = `${numbered(game, ply)} ${game.sans[ply - 1]}${game.data.source_signs[ply] || ""}`;
    if (sign) words += `, ${CALLED[sign]}`;
    if (sign && sign !== "!" && best) words += `. ${best.san} was best`;
    return `${words}. ${show(game.scores[ply])}`;
  }

  function drawLines() {
    const [best, threat] = [lineOf(game, ply), threatOf(game, ply)];
    drawLine("line", best.length ? "Best: " : "The game is over.", best, ply);
    if (at("threat")) drawLine("threat", threat.length ? "Threat: " : "", threat, ply + 1); // after a pass
  }

  function drawLine(name, heading, moves, from) {
    const shown = line && line.name === name ? line : null;
    const parts = moves.map(({ san }, i) => {
      const number = i === 0 || isWhite(game, from + i) ? `${numbered(game, from + i + 1)} ` : "";
      const current = shown && shown.at === i + 1 ? "true" : null;
      return make("button", { type: "button", "aria-current": current, onclick: () => showLine(i + 1, name) }, number + san);
    });
    const focused = shown && at(name).contains(document.activeElement);
    at(name).replaceChildren(make("b", {}, heading), ...parts);
    at(name).hidden = !heading;
    if (focused) parts[shown.at - 1].focus();
  }

  function showLine(index, name = line ? line.name : "line") {
    const positions = (name === "threat" ? threatOf : lineOf)(game, ply);
    if (positions.length) go(ply, { name, positions, at: Math.max(1, Math.min(positions.length, index)) });
  }

  function jump(sign, side = null) { // to the next move with that sign; after the last one to the first
    const count = game.sans.length;
    for (let i = 1; i <= count; i++) {
      const next = ((ply + i - 1) % count) + 1;
      const mover = isWhite(game, next - 1) ? 0 : 1;
      if (game.data.signs[next] === sign && (side === null || side === mover)) return go(next);
    }
  }

  // The graph

  const WIDE = 800, HIGH = 160;
  const LEGEND = at("hover")?.textContent;
  const across = (ply) => (WIDE * ply / Math.max(1, game.sans.length)).toFixed(1);

  function drawGraph() {
    const heights = game.scores.map((score) => (HIGH - HIGH * win(score) / 100).toFixed(1));
    const path = heights.map((y, i) => `${i ? "L" : "M"}${across(i)} ${y}`).join("");
    const label = `Winning chances: ${game.data.verdict}`;
    const svg = make("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", class: "graph", role: "img", "aria-label": label },
      make("rect", { width: WIDE, height: HIGH, class: "black" }),
      make("path", { d: `${path}L${WIDE} ${HIGH}L0 ${HIGH}Z`, class: "white" }),
      make("line", { x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2, class: "middle" }));
    const borders = game.data.phases.map((phase, i) => ({ phase, name: ["Middlegame", "Endgame"][i] })).filter(({ phase }) => phase);
    const names = borders.map(({ phase, name }, i) => { // HTML over the picture, which would stretch letters
      svg.append(make("line", { x1: across(phase), x2: across(phase), y1: 0, y2: HIGH, class: "phase" }));
      const wide = across(borders[i + 1] ? borders[i + 1].phase : game.sans.length) - across(phase);
      const label = make("span", { class: "phase", "aria-hidden": "true" }, wide < WIDE / 10 ? "" : name);
      label.style.left = `${across(phase) / WIDE * 100}%`;
      label.style.width = `${wide / WIDE * 100}%`;
      return label;
    });
    svg.append(make("path", { d: path, class: "curve" }));
    for (const [number, sign] of Object.entries(game.data.signs))
      if (sign !== "!") svg.append(make("path", { d: `M${across(number)} ${heights[number]}h0`, class: `dot ${CLASSES[sign]}` }));
    svg.append(make("line", { x1: across(ply), x2: across(ply), y1: 0, y2: HIGH, class: "cursor" }));
    const under = (event) => {
      const box = svg.getBoundingClientRect();
      return Math.max(0, Math.min(game.sans.length, Math.round((event.clientX - box.left) / box.width * game.sans.length)));
    };
    svg.addEventListener("click", (event) => go(under(event)));
    svg.addEventListener("mousemove", (event) => {
      const ply = under(event);
      const move = ply ? `${numbered(game, ply)} ${signed(ply)}` : "Start";
      at("hover").textContent = `${move} ${show(game.scores[ply])}, White ${rounded(win(game.scores[ply]))} %`;
    });
    svg.addEventListener("mouseleave", () => { at("hover").textContent = LEGEND; });
    at("graph").replaceChildren(svg, ...names);
  }

  // The rest of a game

  function drawHead() {
    const [names, ratings] = [game.data.names, game.data.ratings];
    const rated = names.map((name, i) => make("span", { class: i ? "player of-black" : "player of-white" }, make("bdi", {}, name), ratings[i] ? ` (${ratings[i]})` : ""));
    at("title").replaceChildren(rated[0], " – ", rated[1], " ", make("span", { class: "result" }, game.data.result));
    at("about").textContent = [game.data.opening, ...game.data.about].filter(Boolean).join(" · ");
    at("verdict").textContent = game.data.verdict;
    const rows = game.data.sides.map((side, i) => {
      const cells = side
        ? [side[0] === null ? "–" : `${rounded(side[0])} %`, side[1] === null ? "–" : String(side[1])].map((text) => make("td", {}, text))
        : [make("td", { colspan: 5 }, "not judged")];
      if (side) ["?!", "?", "??"].forEach((sign, kind) => cells.push(make("td", {}, side[2 + kind]
        ? make("button", { type: "button", class: CLASSES[sign], "aria-label": `${side[2 + kind]} ${CALLED[sign]}s of ${game.data.names_apart[i]}: next`, onclick: () => jump(sign, i) }, String(side[2 + kind]))
        : "0")));
      return make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, game.data.names_apart[i])), ...cells);
    });
    at("sides").replaceChildren(...rows);
  }

  function drawMoves() {
    const rows = [];
    let row = null;
    game.sans.forEach((_, i) => {
      const white = isWhite(game, i);
      if (white || !row) {
        row = make("li", {}, make("span", { class: "number" }, numbered(game, i + 1).replace("…", ".")));
        if (!white) row.append(make("span", { class: "none" }, "…"));
        rows.push(row);
      }
      const sign = game.data.signs[i + 1] || "";
      row.append(make("button", { type: "button", "data-ply": i + 1, class: CLASSES[sign] || "plain", "aria-label": spoken(i + 1), onclick: () => go(i + 1) },
        make("span", {}, signed(i + 1)), make("span", { class: "score" }, show(game.scores[i + 1]))));
    });
    at("moves").replaceChildren(make("ol", {}, ...rows));
  }

  function drawMoments() {
    const cards = game.data.moments.map(([ply, sentence]) => {
      const best = lineOf(game, ply - 1);
      const [played, better] = [game.positions[ply], best[0]];
      const arrows = [[played.from, played.to, "played"]];
      if (better) arrows.push([better.from, better.to, "better"]);
      const threat = threatOf(game, ply - 1);
      if (threat.length) arrows.push([threat[0].from, threat[0].to, "threat"]);
      const before = { ...game.positions[ply - 1], from: null, to: null };
      return make("li", { class: "moment" },
        make("h3", {}, make("button", { type: "button", onclick: () => { go(ply); at("title").scrollIntoView(); } },
          `${numbered(game, ply)} ${signed(ply)}`)),
        drawBoard(before, !isWhite(game, ply - 1), arrows),
        make("p", {}, sentence),
        make("p", { class: "scores" }, `${show(game.scores[ply - 1])} → ${show(game.scores[ply])}`),
        make("p", { class: "written" }, `Played: ${written(ply - 1, [played, ...lineOf(game, ply)])}`),
        ...(better ? [make("p", { class: "written" }, `Better: ${written(ply - 1, best)}`)] : []),
        ...(threat.length ? [make("p", { class: "written" }, `Threat: ${written(ply, threat)}`)] : []));
    });
    at("moments").replaceChildren(...cards);
    at("moments-of").hidden = !cards.length;
  }

  function written(from, moves) {
    return moves.map(({ san }, i) => (i === 0 || isWhite(game, from + i) ? `${numbered(game, from + i + 1)} ` : "") + san).join(" ");
  }

  function clock(seconds) {
    if (seconds === null) return "";
    const [whole, pad] = [Math.floor(seconds), (number) => String(number).padStart(2, "0")];
    return `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`;
  }

  function drawPhases() {
    const rows = game.data.phase_rows.map(([name, ...cells]) => make("tr", {}, make("th", { scope: "row" }, name),
      ...cells.map((cell, i) => make("td", i % 2 ? { class: "of-clock" } : {}, cell))));
    at("phases").replaceChildren(...rows);
    for (const cell of document.querySelectorAll(".of-clock")) cell.hidden = !game.data.clocks;
  }

  function drawTable() {
    const rows = game.sans.map((_, i) => {
      const [best] = lineOf(game, i);
      const words = [`${numbered(game, i + 1)} ${signed(i + 1)}`, show(game.scores[i + 1]),
        rounded(win(game.scores[i + 1])), rounded(game.data.lost[i], 1), best ? best.san : "", String(game.data.depths[i + 1]), game.data.clocks ? clock(game.data.clocks[i]) : ""];
      return make("tr", {}, make("th", { scope: "row" }, words[0]), ...words.slice(1).map((word) => make("td", {}, word)));
    });
    at("plies").replaceChildren(...rows);
    at("pgn").textContent = game.data.pgn;
  }

  function choose(number) {
    game = unpack(JSON.parse(GAMES[number].textContent));
    game.number = number;
    [ply, line] = [0, null];
    flipped = !game.data.sides[0] && Boolean(game.data.sides[1]);
    drawHead(); drawMoves(); drawGraph(); drawMoments(); drawPhases(); drawTable();
    for (const row of document.querySelectorAll(".games tr[data-game]"))
      row.classList.toggle("chosen", Number(row.dataset.game) === number);
  }

  // Tables that are sorted by a click on a heading

  for (const table of document.querySelectorAll("table.sorts")) {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      cell.querySelector("button").addEventListener("click", () => {
        const up = cell.getAttribute("aria-sort") === "descending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", up ? "ascending" : "descending");
        const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const order = (a, b) => {
          const [one, two] = [value(a), value(b)];
          const numbers = one !== "" && two !== "" && !isNaN(one) && !isNaN(two);
          return numbers ? one - two : one.localeCompare(two);
        };
        const rows = [...table.tBodies[0].rows].sort(order);
        table.tBodies[0].append(...(up ? rows : rows.reverse()));
      });
    });
  }
  for (const button of document.querySelectorAll(".games button[data-game]"))
    button.addEventListener("click", () => { choose(Number(button.dataset.game)); go(0); at("title").scrollIntoView(); });

  const ACTIONS = {
    ArrowLeft: () => (line ? (line.at > 1 ? showLine(line.at - 1) : go(ply)) : go(ply - 1)),
    ArrowRight: () => (line ? showLine(line.at + 1) : go(ply + 1)),
    Home: () => go(0),
    End: () => go(game.sans.length),
    f: () => { flipped = !flipped; line ? showLine(line.at) : go(ply); },
    b: () => jump("??"),
    m: () => jump("?"),
    i: () => jump("?!"),
  };
  document.addEventListener("keydown", (event) => {
    const action = ACTIONS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    event.preventDefault();
    action();
  });
  for (const button of document.querySelectorAll("[data-action]"))
    button.addEventListener("click", () => ACTIONS[button.dataset.action]());
  at("copy")?.addEventListener("click", async () => {
    const range = document.createRange();
    range.selectNodeContents(at("pgn"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    let copied = false;
    try { await navigator.clipboard.writeText(game.data.pgn); copied = true; } catch { copied = document.execCommand("copy"); }
    at("copied").textContent = copied ? "Copied." : "Selected; press Ctrl-C to copy.";
  });
  document.documentElement.classList.add("live");
  function openAddress() { // the address may name a position: #2.17 is the second game after 17 plies
    const [number, to] = location.hash.slice(1).split(".").map((word) => Number(word) || 0);
    const wanted = number >= 1 && number <= GAMES.length ? number - 1 : 0;
    if (!game || wanted !== game.number) choose(wanted);
    go(to || 0);
  }
  if (GAMES.length) {
    addEventListener("hashchange", openAddress);
    openAddress();
  }
})();
