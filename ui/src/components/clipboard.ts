/**
 * Copies a text; one that is still on its way too, for which a browser wants to be asked while the key or button is
 * fresh. False where the system does not let us: the text must then be shown to be copied by hand.
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  const given = Promise.resolve(text);
  try {
    if (typeof text === 'string') await navigator.clipboard.writeText(text);
    else {
      const blob = given.then((ready) => new Blob([ready], { type: 'text/plain' }));
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    }
    return true;
  } catch {
    return copyBySelection(await given);
  }
}

/** The old way, by a selection of its own. */
function copyBySelection(text: string): boolean {
  const active = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'sr-only';
  area.setAttribute('aria-hidden', 'true');
  document.body.append(area);
  area.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    if (active instanceof HTMLElement) active.focus();
  }
}
