/**
 * Changes are fetched first and applied later, all at once: a render then sees one revision, and what is
 * timed is our own work and not the wait for an answer.
 */
export type Apply = () => void;

export const nothing: Apply = () => undefined;
