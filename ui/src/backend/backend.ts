import type { ApiError, Commands } from './bindings';

/** What the window asks of the core. A call rejects with an `ApiError` and nothing else. */
export interface Backend {
  call<C extends keyof Commands>(command: C, request: Commands[C][0]): Promise<Commands[C][1]>;
}

/** What was thrown, as an error that can be shown: a broken channel rejects with anything. */
export function apiError(thrown: unknown): ApiError {
  if (isApiError(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'internal', title: 'The window lost its core', message, hint: null, chain: [], context: [] };
}

function isApiError(thrown: unknown): thrown is ApiError {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'code' in thrown &&
    'title' in thrown &&
    'message' in thrown
  );
}
