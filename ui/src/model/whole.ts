import type { ApiError } from '../backend/bindings';
import { beginningOf } from '../json/beginning';

/** Refuses a name or an address of which not even the detail has more than the beginning: it is that of nothing. */
export function requireWhole(what: 'name' | 'address', text: string): void {
  if (text.length <= longest || beginningOf(text) === null) return;
  const error: ApiError = {
    code: 'too-large',
    title: `The ${what} is too long`,
    message: `the ${what} has more than ${longest} characters, and the server can't be asked for it`,
    hint: 'the log has the whole of it',
    chain: [],
    context: [],
  };
  // Models are promised an ApiError and nothing else.
  throw error;
}

/** Characters of a text that the core hands over. */
const longest = 256 * 1024;
