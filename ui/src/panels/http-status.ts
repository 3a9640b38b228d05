/** The meaning of a status code in a word or two; the server's own phrase is not on record, and often none. */
export function statusWord(code: number): string {
  return words.get(code) ?? kinds[Math.floor(code / 100)] ?? 'unknown';
}

/** What a status means between a client and a server of MCP, where that is more than its word says. */
export function statusMeaning(method: string, code: number): string | null {
  if (method === 'GET' && code === 405) return 'the server offers no stream of its own, which it may';
  if (method === 'DELETE' && code === 405) return 'the server lets no client end a session, which it may';
  if (method === 'POST' && code === 202) return 'taken, and there is nothing to answer';
  if (method === 'POST' && code === 404) return 'no such address, or the session is no longer known';
  if (code === 401) return 'the server wants to know who asks';
  return null;
}

const kinds = ['', 'information', 'success', 'redirect', 'refused', 'server error'];

const words = new Map([
  [200, 'OK'],
  [201, 'created'],
  [202, 'accepted'],
  [204, 'no content'],
  [301, 'moved'],
  [302, 'found'],
  [303, 'see other'],
  [304, 'not modified'],
  [307, 'redirect'],
  [308, 'redirect'],
  [400, 'bad request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not found'],
  [405, 'not allowed'],
  [406, 'not acceptable'],
  [407, 'proxy login'],
  [408, 'timeout'],
  [409, 'conflict'],
  [410, 'gone'],
  [411, 'length needed'],
  [413, 'too large'],
  [415, 'wrong type'],
  [421, 'misdirected'],
  [422, 'unprocessable'],
  [426, 'upgrade needed'],
  [429, 'too many'],
  [431, 'long headers'],
  [500, 'server error'],
  [501, 'not built'],
  [502, 'bad gateway'],
  [503, 'unavailable'],
  [504, 'late gateway'],
]);
