import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { Draft } from './draft.svelte';
import { focusInvalid } from './focus';
import SchemaForm from './SchemaForm.svelte';

let close = (): void => undefined;
afterEach(() => close());

/** The form of these properties, all of them required, after a call was tried. */
function tried(properties: Record<string, object>, given: object = {}): HTMLElement {
  const target = document.body.appendChild(document.createElement('div'));
  const draft = new Draft(JSON.stringify({ type: 'object', properties, required: Object.keys(properties) }));
  draft.setText(JSON.stringify(given));
  draft.tried = true;
  const missing = Object.keys(properties).filter((name) => !Object.hasOwn(given, name));
  const found = missing.map((name) => ({ place: `/${name}`, message: `\`${name}\` is required` }));
  draft.judge(draft.sendable ?? '', found, null);
  const form = mount(SchemaForm, { target, props: { draft } });
  flushSync();
  close = () => {
    close = () => undefined;
    void unmount(form);
    target.remove();
  };
  return target;
}

const focused = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-field]')?.dataset['field'];

describe('a field of a few choices', () => {
  it('says what it is called, that it is wrong and why', () => {
    const form = tried({ transport: { enum: ['train', 'car'], description: 'How to travel' } });
    const group = form.querySelector('[role="radiogroup"]')!;
    const textOf = (attribute: string): string =>
      (group.getAttribute(attribute) ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent ?? '')
        .join(' ');
    expect(textOf('aria-labelledby')).toContain('transport');
    expect(textOf('aria-describedby')).toContain('How to travel');
    expect(textOf('aria-describedby')).toContain('required');
    expect(group.getAttribute('aria-invalid')).toBe('true');
  });

  it('is not called wrong when it is not', () => {
    const form = tried({ transport: { enum: ['train', 'car'] } }, { transport: 'car' });
    expect(form.querySelector('[role="radiogroup"]')?.getAttribute('aria-invalid')).toBe('false');
  });

  it('shows a value that is none of the choices as JSON', () => {
    const form = tried({ transport: { enum: ['train', 'car'] } }, { transport: 'boat' });
    expect(form.querySelector('textarea')?.value).toBe('"boat"');
  });
});

describe('the focus after a call was refused', () => {
  it('finds the first field that is wrong, of whatever kind', () => {
    const kinds: Record<string, object> = {
      boolean: { type: 'boolean' },
      few: { enum: ['a', 'b'] },
      many: { enum: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
      number: { type: 'number' },
      text: { type: 'string' },
      list: { type: 'array' },
      object: { type: 'object' },
      json: {},
    };
    for (const [name, schema] of Object.entries(kinds)) {
      focusInvalid(tried({ fine: { type: 'string' }, [name]: schema }, { fine: 'yes' }));
      expect(focused(), name).toBe(name);
      close();
    }
  });

  it('is on the chosen one of a group, or on its first', () => {
    focusInvalid(tried({ quiet: { type: 'boolean' } }));
    expect(document.activeElement?.getAttribute('role')).toBe('radio');
    expect((document.activeElement as HTMLElement).dataset['segment']).toBe('true');
  });
});
