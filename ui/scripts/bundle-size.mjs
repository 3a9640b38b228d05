// Prints what the window loads, gzipped, and fails above the budget: 90 kB of JavaScript before the
// editor, 300 kB in all. What loads first is read from the built page and its static imports.
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const dist = process.argv[2] ?? 'dist';
const assets = join(dist, 'assets');
const gzipped = (file) => gzipSync(readFileSync(join(assets, file))).length;

const scripts = readdirSync(assets).filter((file) => file.endsWith('.js'));
const first = new Set();
const pending = scripts.filter((file) => readFileSync(join(dist, 'index.html'), 'utf8').includes(file));
while (pending.length > 0) {
  const file = pending.pop();
  if (first.has(file)) continue;
  first.add(file);
  const text = readFileSync(join(assets, file), 'utf8');
  for (const [, path] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
    pending.push(basename(path));
}

let before = 0;
let all = 0;
for (const file of scripts) {
  const size = gzipped(file);
  all += size;
  if (first.has(file)) before += size;
  console.log(`${first.has(file) ? 'first' : 'later'}  ${(size / 1000).toFixed(1).padStart(6)} kB  ${file}`);
}
console.log(
  `JavaScript, gzipped: ${(before / 1000).toFixed(1)} kB before the editor (budget 90), ${(all / 1000).toFixed(1)} kB in all (budget 300)`,
);
if (before > 90_000 || all > 300_000) process.exit(1);
