/** A line as one would type it in a terminal, taken apart; nothing of it is run. */
export type ShellLine = {
  /** Assignments before the command. */
  env: { name: string; text: string }[];
  command: string;
  args: string[];
};

export type Split = { line: ShellLine; problem: null } | { line: null; problem: string };

/**
 * Words, quotes, backslashes, continued lines and assignments in front; a prompt that was copied along is left out.
 * What only a shell can do is refused, because no shell will ever see it.
 */
export function splitLine(text: string): Split {
  const read = words(text.trim().replace(/^[$%>]\s+/, ''));
  if (read.problem !== null) return { line: null, problem: read.problem };
  const all = read.words;
  const env: ShellLine['env'] = [];
  for (let next = all[0]; next !== undefined; next = all[0]) {
    const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(next);
    if (assignment === null) break;
    env.push({ name: assignment[1] ?? '', text: assignment[2] ?? '' });
    all.shift();
  }
  const command = all.shift();
  if (command === undefined) return { line: null, problem: 'there is no command in it' };
  return { line: { env, command, args: all }, problem: null };
}

function words(text: string): { words: string[]; problem: string | null } {
  const found: string[] = [];
  // Null between words, so that `""` is a word and nothing is none.
  let word: string | null = null;
  const stop = (problem: string) => ({ words: found, problem });
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (/\s/.test(char)) {
      if (word !== null) found.push(word);
      word = null;
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return stop('a single quote is not closed');
      word = (word ?? '') + text.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      const quoted = doubleQuoted(text, at + 1);
      if (quoted === null) return stop('a double quote is not closed');
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (char === '\\') {
      const next = text[at + 1];
      if (next === undefined) return stop('it ends with a backslash');
      at += next === '\r' && text[at + 2] === '\n' ? 2 : 1;
      // A backslash before a line end joins the lines.
      if (next !== '\n' && next !== '\r') word = (word ?? '') + next;
    } else if (/[|&;<>]/.test(char)) {
      return stop(`\`${char}\` is for a shell, and none is used: give the program and its arguments`);
    } else if (char === '`' || text.startsWith('$(', at)) {
      return stop('a command within the command is for a shell, and none is used');
    } else word = (word ?? '') + char;
  }
  if (word !== null) found.push(word);
  return { words: found, problem: null };
}

function doubleQuoted(text: string, start: number): { text: string; end: number } | null {
  let inside = '';
  for (let at = start; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '"') return { text: inside, end: at };
    const next = text[at + 1] ?? '';
    if (char === '\\' && '"\\$`\n'.includes(next) && next !== '') {
      if (next !== '\n') inside += next;
      at += 1;
    } else inside += char;
  }
  return null;
}

/** A command and its arguments as one line that could be typed, and split again into the same. */
export function joinLine(command: string, args: string[]): string {
  return [command, ...args].map(quoted).join(' ');
}

function quoted(word: string): string {
  if (word !== '' && /^[\w@%+=:,./~{}$-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
