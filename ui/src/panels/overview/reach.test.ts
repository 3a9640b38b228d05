import { describe, expect, it } from 'vitest';
import { dialectWord, inTheOpen, place } from './reach';

describe('an address', () => {
  it('is in the open only where it leaves this machine without encryption', () => {
    for (const safe of [
      'https://example.com/mcp',
      'http://127.0.0.1:4511/mcp',
      'http://[::1]:4511/mcp',
      'http://localhost/mcp',
      'http://demo.localhost/mcp',
    ])
      expect(inTheOpen(safe), safe).toBe(false);
    for (const open of [
      'http://example.com/mcp',
      'HTTP://10.0.0.7:80',
      'http://127.0.0.1.example.com/',
      'http://localhost.example.com/',
    ])
      expect(inTheOpen(open), open).toBe(true);
  });

  it('is shown beside the name without what says nothing', () => {
    expect(place('https://example.com/mcp')).toBe('example.com/mcp');
    expect(place('http://127.0.0.1:4511/')).toBe('127.0.0.1:4511');
  });
});

it('the transport is the one that was found where none was named', () => {
  expect(dialectWord('auto', 'sse')).toBe('HTTP with SSE, the older one, found out by asking');
  expect(dialectWord('auto', null), 'nobody has asked yet').toBe('Found out when it is connected');
  expect(dialectWord('http', 'http')).toBe('Streamable HTTP');
});
