import type { PostureDetail, PostureEdit } from './bindings';

/** How the fake is spoken to, with what a person changed. */
export function edited(edit: Partial<PostureEdit>): PostureDetail {
  return {
    client_info: edit.client_info ?? '{"name":"sonde","title":"Sonde","version":"0.1.0"}',
    capabilities: edit.capabilities ?? '{"roots":{"listChanged":true}}',
    protocol: edit.protocol ?? 'auto',
    negotiate: edit.negotiate ?? true,
    roots: edit.roots ?? ['/home/ada/notes'],
    longest_line: null,
    timeout_ms: edit.timeout_ms ?? 600_000,
    connect_timeout_ms: 30_000,
    silence_ms: null,
    edited: { ...untouched, ...edit },
    revisions: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'],
  };
}

const untouched: PostureEdit = {
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
