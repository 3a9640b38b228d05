import type { Commands, ErrorCode } from './bindings';

/** Some of the commands, as a part of the fake carries them out. */
export type Part<C extends keyof Commands> = {
  [K in C]: (request: Commands[K][0]) => Commands[K][1] | Promise<Commands[K][1]>;
};

/** What the parts of the fake need of the whole. */
export type Whole = {
  /** Refuses a command. */
  fail: (code: ErrorCode, message: string) => never;
  /** Something about a server changed: its `news_revision` is bumped and the window wakes. */
  news: (server: string) => void;
  /** The level of its messages was set. */
  levelled: (server: string, level: string) => void;
  /** Its lists changed. */
  listed: (server: string) => void;
};

/** The result of a request by its method, as JSON; what is not here is answered with an empty result. */
export type Answers = Record<string, (params: Record<string, unknown>, server: string) => unknown>;
