import { placed, type Section } from '../../model/arrangement';
import type { Session } from '../../model/session.svelte';
import { arrange } from './server-menu';

/** A server that is dragged by the pointer: where it would go is shown, and nothing moves until it is let go. */
export class Drag {
  id = $state<string | null>(null);
  /** Before which server of which section it would be put; before none is at the end. */
  over = $state.raw<{ key: string; before: string | null } | null>(null);

  constructor(private readonly session: () => Session) {}

  /** Follows a pointer that was pressed on a server; a click stays a click. */
  begin(start: PointerEvent, id: string): void {
    if (start.button !== 0) return;
    const moves = (event: PointerEvent): void => {
      if (this.id === null && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < far)
        return;
      this.id = id;
      this.over = this.target(event);
    };
    const keys = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') end();
    };
    const drops = (): void => {
      if (this.id !== null && this.over !== null) this.drop(this.id, this.over);
      // The click that ends a drag selects nothing.
      if (this.id !== null) addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => removeEventListener('click', swallow, { capture: true }));
      end();
    };
    const end = (): void => {
      this.id = null;
      this.over = null;
      removeEventListener('pointermove', moves);
      removeEventListener('pointerup', drops);
      removeEventListener('pointercancel', end);
      removeEventListener('keydown', keys);
    };
    addEventListener('pointermove', moves);
    addEventListener('pointerup', drops);
    addEventListener('pointercancel', end);
    addEventListener('keydown', keys);
  }

  private target({ clientX, clientY }: PointerEvent): { key: string; before: string | null } | null {
    const under = document.elementFromPoint(clientX, clientY);
    const key = under?.closest<HTMLElement>('[data-section]')?.dataset['section'];
    const section = this.sections().find((each) => each.key === key);
    if (section === undefined || this.id === null) return null;
    const row = under?.closest<HTMLElement>('[data-row]');
    let place = row ? section.servers.findIndex((each) => each.id === row.dataset['row']) : 0;
    if (row) {
      const { top, height } = row.getBoundingClientRect();
      if (clientY > top + height / 2) place += 1;
    }
    const allowed = placed(this.sections(), this.id, section.key, 0) !== null;
    return allowed ? { key: section.key, before: section.servers[place]?.id ?? null } : null;
  }

  private drop(id: string, { key, before }: { key: string; before: string | null }): void {
    if (before === id) return;
    const rest = this.sections()
      .find((each) => each.key === key)
      ?.servers.filter((each) => each.id !== id);
    if (rest === undefined) return;
    const place = before === null ? rest.length : rest.findIndex((each) => each.id === before);
    arrange(this.session(), placed(this.sections(), id, key, place));
  }

  private sections(): Section[] {
    return this.session().servers.sections;
  }
}

/** Pixels that a pointer goes before it drags. */
const far = 5;

function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
