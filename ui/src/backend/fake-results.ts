import type { Call, TaskSummary } from './bindings';
import { ascii, noise, picture, toBase64, tone } from './fake-content';

/** What some tools of the fake answer: one block of every kind, and what does not keep a promise. */
export function fakeResult(
  tool: string,
): (Partial<Pick<Call, 'violations' | 'note'>> & { result: unknown }) | null {
  if (tool === 'show_everything') return { result: { content: everything } };
  if (tool === 'measure')
    return {
      result: {
        content: [{ type: 'text', text: '{"celsius":"cold","station":"Ona"}' }],
        structuredContent: measured,
      },
      violations: [
        { path: '/celsius', place: '/celsius', message: 'must be a number' },
        { path: '', place: '/taken', message: '`taken` is required' },
      ],
    };
  if (tool.startsWith('search_documents'))
    return { result: { content: [{ type: 'text', text: found }], structuredContent: { hits: 1204 } } };
  return null;
}

/** The bytes that stand at a pointer, whatever the call: the answers of the fake are always the same. */
export function fakeBytes(pointer: string): Uint8Array {
  return blobs[pointer] ?? blobs['/content/3/data'] ?? new Uint8Array();
}

const blobs: Record<string, Uint8Array> = {
  '/content/3/data': picture(320, 180),
  '/content/4/data': picture(64, 64),
  '/content/5/data': tone(12_000),
  '/content/7/resource/blob': noise(70_000),
  '/content/8/data': ascii(
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><circle r="4"/></svg>\n',
  ),
  '/contents/0/blob': picture(320, 180),
};
const base64 = (pointer: string): string => toBase64(fakeBytes(pointer));

const measured = { celsius: 'cold', station: 'Ona' };

const found = Array.from(
  { length: 400 },
  (_, place) =>
    `${String(place + 1).padStart(4)}  docs/handbook/chapter-${place % 17}.md  a line about the sea`,
).join('\n');

const everything = [
  {
    type: 'text',
    text: '# Plain text\n\n**Markdown** stays text, and so does <b onclick="alert(1)">HTML</b>.\nuser\u202egnp.exe pay\u200bpal',
    annotations: { audience: ['user', 'assistant'], priority: 0.9, lastModified: '2025-05-03T14:30:00Z' },
  },
  { type: 'text', text: '{"route":["Oslo","Hamar","Trondheim"],"km":12345678901234567890,"ok":true}' },
  { type: 'text', text: found },
  { type: 'image', mimeType: 'image/png', data: base64('/content/3/data') },
  { type: 'image', mimeType: 'image/jpeg', data: base64('/content/4/data') },
  { type: 'audio', mimeType: 'audio/wav', data: base64('/content/5/data') },
  {
    type: 'resource',
    resource: {
      uri: 'file:///home/ada/shop/notes/2025/a%20very%20long%20name%20of%20a%20note.html',
      mimeType: 'text/html',
      text: '<!doctype html>\n<script>alert(1)</script>\n<p>A page that is never drawn</p>',
    },
  },
  {
    type: 'resource',
    resource: {
      uri: 'demo://dumps/memory.bin',
      mimeType: 'image/png',
      blob: base64('/content/7/resource/blob'),
    },
  },
  { type: 'image', mimeType: 'image/svg+xml', data: base64('/content/8/data') },
  {
    type: 'resource_link',
    uri: 'demo://trips/7?from=Oslo&to=Trondheim',
    name: 'trip-7.json',
    title: 'The trip to Trondheim',
    description: 'Everything that is known about the trip, with its stops and its prices.',
    mimeType: 'application/json',
    size: 48_210,
    annotations: { audience: ['assistant'], priority: 0.2 },
  },
  { type: 'tool_use', id: 'toolu_01', name: 'get_weather', input: { city: 'Oslo', days: 3 } },
  {
    type: 'tool_result',
    toolUseId: 'toolu_01',
    isError: true,
    content: [{ type: 'text', text: 'no weather for a city that is not there' }],
  },
  { type: 'hologram', depth: 3, layers: ['a', 'b'] },
];

/** The task that the fake makes of a call. */
export const fakeTask: TaskSummary = {
  id: 'task-786512e2-9e0d-44bd-8f29-789f320fe840',
  status: 'working',
  message: 'looking for a train',
  created: '2025-11-25T10:30:00Z',
  updated: '2025-11-25T10:30:02Z',
  ttl_ms: 60_000,
  poll_ms: 1000,
  definition: '{}',
  problem: null,
};
