import { invoke } from '@tauri-apps/api/core';
import { apiError, type Backend } from './backend';
import type { Commands } from './bindings';

/** The core in the same process, reached by raw bytes: JSON text each way, so that the host never parses it. */
export const tauri: Backend = {
  async call<C extends keyof Commands>(command: C, request: Commands[C][0]): Promise<Commands[C][1]> {
    try {
      const answer = await invoke<unknown>(command, new TextEncoder().encode(JSON.stringify(request)));
      return decode(answer) as Commands[C][1];
    } catch (thrown) {
      throw apiError(decode(thrown));
    }
  },
};

function decode(answer: unknown): unknown {
  if (answer instanceof ArrayBuffer || ArrayBuffer.isView(answer)) {
    return JSON.parse(new TextDecoder().decode(answer));
  }
  return answer;
}
