import { describe, expect, it } from 'vitest';
import type { PostureDetail, PostureEdit } from '../backend/bindings';
import { Posture } from './posture.svelte';
import { Stub } from './stub';

const nothing: PostureEdit = {
  client_info: null,
  capabilities: null,
  protocol: null,
  negotiate: null,
  roots: null,
  longest_line: null,
  timeout_ms: null,
  connect_timeout_ms: null,
  silence_ms: null,
};

const configured: PostureDetail = {
  client_info: '{"name":"sonde"}',
  capabilities: '{}',
  protocol: 'auto',
  negotiate: true,
  roots: ['/home/ada/notes'],
  longest_line: null,
  timeout_ms: 600_000,
  connect_timeout_ms: 30_000,
  silence_ms: null,
  edited: nothing,
  revisions: ['2024-11-05', '2025-11-25'],
};

function opened(): { posture: Posture; stub: Stub; ready: Promise<void> } {
  const stub = new Stub({
    describe_posture: () => configured,
    edit_posture: ({ edit }) => ({ ...configured, protocol: edit.protocol ?? 'auto', edited: edit }),
  });
  const posture = new Posture(stub);
  return { posture, stub, ready: posture.open('demo') };
}

describe('how a server is spoken to', () => {
  it('is unchanged until a person changes something', async () => {
    const { posture, ready } = opened();
    await ready;
    expect(posture.changed).toBe(false);
    expect(posture.edited).toBe(false);
    posture.protocol = '2024-11-05';
    expect(posture.changed).toBe(true);
  });

  it('is saved as what differs, and nothing else', async () => {
    const { posture, stub, ready } = opened();
    await ready;
    posture.protocol = '2024-11-05';
    posture.roots = ' /home/ada/notes \n\n/srv';
    posture.timeout = '5';
    await posture.save();
    expect(stub.requests('edit_posture')).toEqual([
      {
        server: 'demo',
        edit: { ...nothing, protocol: '2024-11-05', roots: ['/home/ada/notes', '/srv'], timeout_ms: 5000 },
      },
    ]);
    expect(posture.edited).toBe(true);
  });

  it('goes back to the configuration when asked', async () => {
    const { posture, stub, ready } = opened();
    await ready;
    await posture.reset();
    expect(stub.requests('edit_posture')).toEqual([{ server: 'demo', edit: nothing }]);
  });

  it('keeps a time that is no number out of it', async () => {
    const { posture, ready } = opened();
    await ready;
    posture.timeout = 'soon';
    expect(posture.changed).toBe(false);
  });
});
