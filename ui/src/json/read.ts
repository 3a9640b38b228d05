/**
 * A reader of JSON that keeps what `JSON.parse` throws away: the text of every number, duplicate keys and
 * the order of members. It never throws: where the text stops being JSON, the rest is kept as it is.
 */
export function readJson(text: string): Reading {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.space();
  if (reader.problem === null && reader.at < text.length) reader.fail('text after the end of the value');
  return { value, problem: reader.problem };
}

export type Reading = {
  value: JsonNode;
  /** Where and why the text is not JSON; the value is then what could be read before. */
  problem: JsonProblem | null;
};

export type JsonProblem = { message: string; offset: number; line: number; column: number };

export type JsonNode =
  | { kind: 'object'; members: JsonMember[] }
  | { kind: 'array'; items: JsonNode[] }
  /** `text` has the quotes and escapes of the source, `value` is what they mean. */
  | { kind: 'string'; text: string; value: string }
  | { kind: 'number'; text: string }
  | { kind: 'literal'; text: 'true' | 'false' | 'null' }
  /** Source that is not shown as a tree: too deep, cut off, or no JSON at all. */
  | { kind: 'raw'; text: string; reason: string };

export type JsonMember = { key: string; value: JsonNode; duplicate: boolean };

/** Deeper than this, a value is kept as its text: a thousand brackets cost nothing. */
export const deepest = 128;

/** The last member of that name, as `JSON.parse` would choose; nothing for anything but an object. */
export function member(node: JsonNode | undefined, key: string): JsonNode | undefined {
  if (node?.kind !== 'object') return undefined;
  return node.members.findLast((each) => each.key === key)?.value;
}

/** The text of a string, or nothing for any other value. */
export function stringOf(node: JsonNode | undefined): string | null {
  return node?.kind === 'string' ? node.value : null;
}

export function positionOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const literalPattern = /true|false|null/y;
const spacePattern = /[ \t\r\n]*/y;

class Reader {
  at = 0;
  problem: JsonProblem | null = null;

  constructor(private readonly text: string) {}

  fail(message: string): void {
    this.problem ??= { message, offset: this.at, ...positionOf(this.text, this.at) };
  }

  space(): void {
    spacePattern.lastIndex = this.at;
    spacePattern.test(this.text);
    this.at = spacePattern.lastIndex;
  }

  value(depth: number): JsonNode {
    this.space();
    const first = this.text[this.at];
    if (first === '{' || first === '[') {
      if (depth >= deepest) return this.skip();
      return first === '{' ? this.object(depth) : this.array(depth);
    }
    if (first === '"') return this.string();
    const number = this.match(numberPattern);
    if (number !== null) return { kind: 'number', text: number };
    const literal = this.match(literalPattern);
    if (literal !== null) return { kind: 'literal', text: literal as 'true' | 'false' | 'null' };
    this.fail(first === undefined ? 'the text ends where a value is expected' : 'a value is expected here');
    return this.rest();
  }

  private object(depth: number): JsonNode {
    const members: JsonMember[] = [];
    const seen = new Set<string>();
    this.at += 1;
    this.space();
    if (this.take('}')) return { kind: 'object', members };
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') {
        this.fail('a member name in double quotes is expected here');
        return { kind: 'object', members };
      }
      const key = this.string();
      if (key.kind !== 'string') return { kind: 'object', members };
      this.space();
      if (!this.take(':')) {
        this.fail('a colon is expected here');
        return { kind: 'object', members };
      }
      const value = this.value(depth + 1);
      members.push({ key: key.value, value, duplicate: seen.has(key.value) });
      seen.add(key.value);
      if (this.problem !== null) return { kind: 'object', members };
      this.space();
      if (this.take(',')) continue;
      if (!this.take('}')) this.fail('a comma or a closing brace is expected here');
      return { kind: 'object', members };
    }
  }

  private array(depth: number): JsonNode {
    const items: JsonNode[] = [];
    this.at += 1;
    this.space();
    if (this.take(']')) return { kind: 'array', items };
    for (;;) {
      items.push(this.value(depth + 1));
      if (this.problem !== null) return { kind: 'array', items };
      this.space();
      if (this.take(',')) continue;
      if (!this.take(']')) this.fail('a comma or a closing bracket is expected here');
      return { kind: 'array', items };
    }
  }

  private string(): JsonNode {
    const start = this.at;
    const end = closingQuote(this.text, start);
    if (end === -1) {
      this.fail('this text is never closed by a double quote');
      return this.rest();
    }
    const text = this.text.slice(start, end + 1);
    const value = decodeString(text);
    if (value === null) {
      this.fail('this text has an escape or a control character that JSON does not allow');
      return this.rest();
    }
    this.at = end + 1;
    return { kind: 'string', text, value };
  }

  /** Passes over a value that is too deep, by counting brackets outside of strings. */
  private skip(): JsonNode {
    const start = this.at;
    let open = 0;
    while (this.at < this.text.length) {
      const char = this.text[this.at];
      if (char === '"') {
        const end = closingQuote(this.text, this.at);
        if (end === -1) break;
        this.at = end;
      } else if (char === '{' || char === '[') open += 1;
      else if (char === '}' || char === ']') open -= 1;
      this.at += 1;
      if (open === 0) {
        return {
          kind: 'raw',
          text: this.text.slice(start, this.at),
          reason: `deeper than ${deepest} levels`,
        };
      }
    }
    this.at = this.text.length;
    this.fail('the text ends inside a value');
    return { kind: 'raw', text: this.text.slice(start), reason: `deeper than ${deepest} levels` };
  }

  private rest(): JsonNode {
    const text = this.text.slice(this.at);
    return { kind: 'raw', text, reason: 'not JSON' };
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.at = pattern.lastIndex;
    return found[0];
  }
}

/** The place of the quote that closes the string opened at `start`, or -1. */
function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

function decodeString(text: string): string | null {
  if (!/[\\\u0000-\u001f]/.test(text)) return text.slice(1, -1);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
