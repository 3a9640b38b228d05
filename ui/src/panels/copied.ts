import type { Exported } from '../backend/bindings';
import { copyText } from '../components/clipboard';
import type { Notices } from '../model/notices.svelte';

/** Copies an export that is on its way, and says what it does not say. */
export async function copied(
  notices: Notices,
  client: string,
  exported: Promise<Exported | null>,
): Promise<void> {
  const text = exported.then((ready) => {
    if (ready === null) throw new Error('nothing was exported');
    return ready.text;
  });
  let done: boolean;
  try {
    done = await copyText(text);
  } catch {
    // The export was refused, which a notice says already.
    return;
  }
  const ready = await exported;
  if (ready === null) return;
  if (done) notices.say(`Copied for ${client}`, ready.notices);
  else notices.show(`For ${client}: ${ready.file_name}`, ready.text);
}
