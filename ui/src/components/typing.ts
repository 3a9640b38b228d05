/** Whether keys that are pressed become text there. */
export function typing(target: EventTarget | null | undefined): boolean {
  return (
    target instanceof HTMLElement &&
    (target.matches('input, textarea, select') ||
      target.isContentEditable ||
      target.closest('[contenteditable]') !== null)
  );
}
