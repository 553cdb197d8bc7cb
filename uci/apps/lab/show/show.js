// A recorded search: each step is an event of it, with the memory accesses that it caused.
(() => {
  const { nodes, steps, memories, minimax } = JSON.parse(document.querySelector("script.data").textContent);
  const captions = [...document.querySelectorAll(".story li")];
  const [ENTER, IMPROVE, REFUTE, RETURN] = [0, 1, 2, 3];
  const [READ, WRITE, SET, EXTENT] = [0, 1, 2, 3];

  // Codes of accesses: see `MemoryStory` in Python.
  function unpack(codes) {
    const found = [];
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i];
      if (code === "x") found.push([EXTENT, codes[++i], codes[++i], codes[++i]]);
      else if (code === "s") found.push([SET, codes[++i], codes[++i]]);
      else if (code < 0) found.push([WRITE, -1 - code, codes[++i]]);
      else found.push([READ, code]);
    }
    return found;
  }

  const story = steps.map(([kind, node, child, alpha, lines, accesses]) => {
    const all = accesses.flatMap((codes, memory) => unpack(codes).map((access) => [memory, ...access]));
    return { kind, node, child, alpha, lines, all, count: all.filter(([, what]) => what <= WRITE).length };
  });
  // The tree: a row for each leaf, a column for each ply; a first child is in the row of its parent.
  const [WIDE, HIGH, BOX] = [160, 34, 26];
  const places = [];
  const parents = new Set();
  let rows = -1;
  for (const [parent, ply] of nodes) {
    if (parent < 0 || parents.has(parent)) rows++;
    parents.add(parent);
    places.push([ply, rows]);
  }
  // States of nodes and memories before a step; to go back, all steps are replayed from the first.
  let at_step = -1, at_access = 0, state = initial(), playing = null;
  let single = null; // the number of accesses of the step that are shown; null: all

  function initial() {
    return {
      nodes: nodes.map(([, , , alpha]) => ({ alpha, seen: false, done: false, best: -1 })),
      path: [],
      memories: memories.map(({ values, extents }) => ({ values: [...values], extents: extents.map((each) => each && [...each]) })),
      lines: memories.map(() => ""),
    };
  }

  function search(step) { // apply a step to the tree
    const { kind, node, child, alpha } = step;
    if (kind === ENTER) { state.nodes[node].seen = true; state.path.push(node); }
    if (kind === IMPROVE) { state.nodes[node].best = child; if (!minimax) state.nodes[node].alpha = alpha; }
    if (kind === REFUTE) { state.nodes[node].best = child; }
    if (kind === RETURN) { state.nodes[node].done = true; state.path.pop(); }
  }

  function touch([memory, what, cell, ...rest]) { // apply an access to a memory
    const { values, extents } = state.memories[memory];
    if (what === WRITE || what === SET) values[cell] = rest[0];
    if (what === EXTENT) extents[cell] = rest;
  }

  function finish(step) {
    step.all.slice(at_access).forEach(touch);
    step.lines.forEach((line, i) => { if (line !== null) state.lines[i] = line; });
  }

  // Goes to a step, and shows so many of its accesses; without a number all of them.
  function go(step, access = null) {
    step = Math.max(0, Math.min(story.length - 1, step));
    if (step <= at_step || single !== null) [state, at_step] = [initial(), -1];
    while (at_step < step) {
      at_step++;
      at_access = 0;
      search(story[at_step]);
      if (at_step < step || access === null) finish(story[at_step]);
    }
    const now = story[step];
    let lit = now.all;
    if (access === null) at_access = now.all.length;
    else {
      let seen = 0;
      at_access = 0;
      for (const each of now.all) {
        if (each[1] <= WRITE && seen++ === access) break;
        touch(each);
        at_access++;
      }
      lit = now.all.slice(0, at_access).filter(([, what]) => what <= WRITE).slice(-1);
      const last = now.all.slice(at_access).every(([, what]) => what > WRITE);
      if (last) finish(now);
    }
    single = access;
    draw(now, lit);
  }

  function forward() { single === null || single >= story[at_step].count ? go(at_step + 1) : go(at_step); }
  function inward(by) { // move by single accesses
    const shown = single === null ? story[at_step].count : single;
    if (by > 0) {
      if (shown < story[at_step].count) go(at_step, shown + 1);
      else if (at_step + 1 < story.length) go(at_step + 1, story[at_step + 1].count ? 0 : null);
    } else if (shown > 0) go(at_step, shown - 1);
    else if (at_step > 0) go(at_step - 1, story[at_step - 1].count || null);
  }
  const writes = ({ all }) => all.some(([, what]) => what === WRITE);
  const changes = ({ lines }) => lines.some((line) => line !== null);
  function jump(wanted) {
    const next = story.findIndex((step, i) => i > at_step && wanted(step));
    go(next < 0 ? story.length - 1 : next);
  }

  // Drawing

  function draw(step, lit) {
    const number = at_step;
    let caption = captions[number].textContent;
    if (single !== null && lit.length) {
      const [memory, what, cell, value] = lit[0];
      const name = memories[memory].cells[cell];
      const held = state.memories[memory].values[cell];
      caption = what === WRITE ? `Writes ${name} = ${value}.` : `Reads ${name}: ${held === "" ? "nothing" : held}.`;
    }
    at("caption").textContent = caption;
    at("slider").value = number;
    at("slider").setAttribute("aria-valuetext", `step ${number} of ${story.length - 1}`);
    at("place").textContent = `${number} of ${story.length - 1}` + (single === null ? "" : `, access ${single} of ${step.count}`);
    drawTree(step);
    drawHere(step);
    memories.forEach((_, i) => drawMemory(i, lit.filter(([memory]) => memory === i), single === null && step.lines[i] !== null));
    document.querySelector(".story [aria-current]")?.removeAttribute("aria-current");
    captions[number].setAttribute("aria-current", "true");
    if (!playing) try { history.replaceState(null, "", `#${number}${single === null ? "" : `.${single}`}`); } catch { /* keep the address */ }
  }

  const tree = make("svg", { role: "img", "aria-label": "The tree of the search; the steps are described in words below" });
  const drawn = nodes.map(() => null);
  const edges = make("g");
  tree.append(edges);
  at("tree").append(tree);

  function drawNode(number) {
    const [parent, ply, move, alpha, beta] = nodes[number];
    const [column, row] = places[number];
    const [x, y] = [4 + column * WIDE, 4 + row * HIGH];
    const edge = parent < 0 ? null : make("path", { class: "edge" });
    if (edge) {
      const [px, py] = [4 + places[parent][0] * WIDE + WIDE - 22, 4 + places[parent][1] * HIGH + BOX / 2];
      edge.setAttribute("d", `M${px} ${py}H${px + 11}V${y + BOX / 2}H${x}`);
      edges.append(edge);
    }
    const right = make("text", { x: x + WIDE - 28, y: y + 17, "text-anchor": "end" });
    const box = make("g", { class: "node", "data-node": number },
      make("title", {}), make("rect", { x, y, width: WIDE - 22, height: BOX, rx: 5 }),
      make("text", { x: x + 7, y: y + 17, class: "move" }, move), right);
    box.addEventListener("click", () => go(story.findIndex((step) => step.kind === ENTER && step.node === number)));
    tree.append(box);
    return { edge, right, box, title: box.querySelector("title") };
  }

  function drawTree(step) {
    let bottom = 0, across = 0;
    nodes.forEach(([parent, ply, move, , beta, score, end, unseen, , , zero], i) => {
      const { seen, done, alpha } = state.nodes[i];
      if (seen && !drawn[i]) drawn[i] = drawNode(i);
      if (!drawn[i]) return;
      const { edge, right, box, title } = drawn[i];
      box.toggleAttribute("hidden", !seen);
      if (edge) edge.toggleAttribute("hidden", !seen);
      if (!seen) return;
      [bottom, across] = [Math.max(bottom, places[i][1]), Math.max(across, places[i][0])];
      const open = state.path.includes(i) || (step.kind === RETURN && step.node === i);
      box.setAttribute("class", `node ${done ? end : ""} ${zero ? "zero" : ""} ${open ? "open" : ""} ${i === step.node ? "here" : ""}`);
      const words = done ? score : zero ? `> ${alpha}?` : `${alpha}…${beta}`;
      right.textContent = words + (done && unseen ? `  ✂${unseen}` : "");
      right.setAttribute("class", done ? (unseen ? "unseen" : "") : "small");
      title.textContent = `${move}: window ${alpha} to ${beta}` + (done ? `, ${score}` : "");
      const best = parent >= 0 && state.nodes[parent].best === i;
      if (edge) edge.setAttribute("class", best ? "edge best" : "edge");
    });
    edges.append(...edges.querySelectorAll(".best")); // drawn over the others
    const [wide, high] = [8 + (across + 1) * WIDE, 8 + (bottom + 1) * HIGH];
    for (const [name, value] of [["width", wide], ["height", high], ["viewBox", `0 0 ${wide} ${high}`]]) tree.setAttribute(name, value);
    if (step.node >= 0) {
      const frame = at("tree"), [column, row] = places[step.node];
      const [x, y] = [column * WIDE, row * HIGH];
      if (y < frame.scrollTop || y + 2 * HIGH > frame.scrollTop + frame.clientHeight) frame.scrollTop = y - frame.clientHeight / 2;
      if (x < frame.scrollLeft || x + WIDE > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = x - frame.clientWidth / 2;
    }
  }

  function drawHere({ node, kind }) {
    const number = node < 0 ? 0 : node;
    const [, ply, , , beta, score, , , board, squares] = nodes[number];
    const [from = null, to = null] = squares;
    at("board").replaceChildren(drawBoard({ board: boardOf(board), from, to }, false));
    const moves = [];
    for (let i = number; nodes[i][0] >= 0; i = nodes[i][0]) moves.unshift(nodes[i][2]);
    at("path").textContent = moves.length ? moves.join(" ") : "The root";
    const { alpha, done } = state.nodes[number];
    at("window").textContent = `Ply ${ply}, ${minimax ? "" : `window ${alpha} to ${beta}`}${done ? `${minimax ? "" : ", "}score ${score}` : ""}`.replace(/, $/, "");
  }

  // A memory: its tables are made once; later only the text and style of cells change.
  const grids = memories.map(({ panels, cells }, which) => {
    const found = { cells: cells.map(() => []), rows: [] };
    for (const { title, kind, heads, rows } of panels) {
      const table = make("table", { class: kind }, make("caption", {}, title));
      if (heads.length) table.append(make("thead", {}, make("tr", {}, make("td"), ...heads.map((head) => make("th", { scope: "col" }, head)))));
      const body = make("tbody");
      for (const [label, ids, beside] of rows) {
        const tds = ids.map((id) => {
          const td = make("td", id < 0 ? { class: "void" } : { title: cells[id] });
          if (id >= 0) found.cells[id].push(td);
          return td;
        });
        const tr = make("tr", {}, make("th", { scope: "row" }, label), ...tds);
        found.rows.push({ ids, tds, tr, own: ids.length - beside, grows: kind === "table" });
        body.append(tr);
      }
      table.append(body);
      at(`memory${which}`).append(make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": title }, table));
    }
    return found;
  });

  function drawMemory(which, lit, changed) {
    const { values, extents } = state.memories[which];
    const looks = new Map();
    for (const [, what, cell] of lit) if (what <= WRITE) looks.set(cell, what === WRITE || looks.get(cell) === "write" ? "write" : "read");
    grids[which].rows.forEach(({ ids, tds, tr, own, grows }, row) => {
      const extent = extents[row];
      tr.hidden = grows && ids.every((id) => values[id] === memories[which].values[id] && !looks.has(id)); // not reached yet
      ids.forEach((id, i) => {
        if (id < 0) return;
        const value = values[id], beside = i >= own;
        tds[i].textContent = value === null ? "" : value;
        const unused = extent && !beside && (i < extent[0] || i >= extent[1]);
        const look = [looks.get(id), value === null ? "gone" : "", beside ? "beside" : "", unused && value !== "" && value !== null && value !== "?" ? "stale" : ""];
        tds[i].className = look.filter(Boolean).join(" ");
      });
    });
    const line = state.lines[which];
    at(`line${which}`).textContent = line || "none yet";
    at(`line${which}`).className = changed ? "changed" : "";
    at(`verdict${which}`).hidden = at_step < story.length - 1;
  }

  // Controls

  function play(on) {
    if (playing) clearInterval(playing);
    playing = on ? setInterval(() => { at_step + 1 < story.length ? forward() : play(false); }, 1000 / Number(at("speed").value)) : null;
    at("play").textContent = on ? "Pause" : "Play";
    at("caption").setAttribute("aria-live", on ? "off" : "polite");
  }
  const ACTIONS = {
    ArrowRight: forward,
    ArrowLeft: () => (single === null ? go(at_step - 1) : go(at_step, null)),
    ".": () => inward(1),
    ",": () => inward(-1),
    Home: () => go(0),
    End: () => go(story.length - 1),
    w: () => jump(writes),
    l: () => jump(changes),
    p: () => { if (!playing && at_step + 1 === story.length) go(0); play(!playing); },
  };
  ACTIONS[" "] = ACTIONS.p;
  function act(name) {
    if (name !== "p" && name !== " ") play(false);
    ACTIONS[name]();
  }
  document.addEventListener("keydown", (event) => {
    const [tag, name] = [event.target.tagName, event.key];
    if (!ACTIONS[name] || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(tag)) return;
    if (name === " " && /^(BUTTON|SUMMARY|A)$/.test(tag)) return;
    event.preventDefault();
    act(name);
  });
  for (const button of document.querySelectorAll("[data-action]"))
    button.addEventListener("click", () => act(button.dataset.action));
  at("slider").addEventListener("input", () => { play(false); go(Number(at("slider").value)); });
  at("speed").addEventListener("change", () => { if (playing) play(true); });
  function follow() { // the address may name a step: #12 is step 12, #12.3 its third access
    const [step, access] = location.hash.slice(1).split(".").map((word) => (/^\d+$/.test(word) ? Number(word) : NaN));
    go(step || 0, Number.isInteger(access) && step < story.length ? Math.min(access, story[step].count) : null);
  }
  addEventListener("hashchange", () => { play(false); follow(); });
  document.documentElement.classList.add("live");
  follow();
})();
