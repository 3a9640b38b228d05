/** An example to type after, for formats that need one. */
export const formatExamples: Record<string, string> = {
  date: '2026-03-31',
  time: '12:30:00Z',
  'date-time': '2026-03-31T12:30:00Z',
  duration: 'P1DT12H',
  email: 'name@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
};

const formats: Record<string, RegExp> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  time: /^\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i,
  duration: /^P(?=.)/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S*$/i,
  url: /^[a-z][a-z0-9+.-]*:\S*$/i,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  ipv4: /^(\d{1,3}\.){3}\d{1,3}$/,
};

/** A format is a word about a text and no rule of the schema, so this is a hint: how such a text usually looks. */
export function formatHint(format: string, text: string): string | null {
  const pattern = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (pattern === undefined || pattern.test(text)) return null;
  return `a ${format} usually looks like ${formatExamples[format] ?? format}`;
}
