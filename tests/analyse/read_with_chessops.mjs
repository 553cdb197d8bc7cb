// Reads PGN files with chessops, lichess's library, and plays every move, also of variations.
// Usage: node read_with_chessops.mjs FOLDER-OF-NODE_MODULES FILE... Prints JSON: for each file a list
// of its games, with their tags, the moves of the main line, the number of moves with a score, and
// the errors.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [folder, ...files] = process.argv.slice(2);
const load = name => import(pathToFileURL(`${folder}/chessops/dist/esm/${name}.js`));
const { parseComment, parsePgn, startingPosition } = await load('pgn');
const { parseSan } = await load('san');
const { makeUci } = await load('util');

const isScored = node => (node.data.comments || []).some(text => parseComment(text).evaluation);

function pass(position) {
  position.turn = position.turn === 'white' ? 'black' : 'white';
  position.epSquare = undefined;
}

function read(game) {
  const found = { tags: Object.fromEntries(game.headers), moves: [], scored: 0, errors: [] };
  const start = startingPosition(game.headers);
  if (start.isErr) return { ...found, errors: [String(start.error)] };
  const open = [[game.moves, start.value, true]];
  while (open.length) {
    const [parent, before, isMain] = open.pop();
    parent.children.forEach((node, index) => {
      const position = before.clone();
      const move = parseSan(position, node.data.san);
      if (move) position.play(move);
      else if (node.data.san === '--') pass(position);
      else return found.errors.push(`illegal move: ${node.data.san}`);
      if (isMain && index === 0) {
        found.moves.push(move ? makeUci(move) : '--');
        found.scored += isScored(node);
      }
      open.push([node, position, isMain && index === 0]);
    });
  }
  return found;
}

console.log(JSON.stringify(files.map(file => parsePgn(readFileSync(file, 'utf-8')).map(read))));
