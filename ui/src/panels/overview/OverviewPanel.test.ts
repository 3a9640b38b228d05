import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../../backend/backend';
import { fakeBackend } from '../../backend/fake';
import { fakeAgreement } from '../../backend/fake-logs';
import { Session } from '../../model/session.svelte';
import OverviewPanel from './OverviewPanel.svelte';

let session: Session;
let close = (): void => undefined;
let fails = false;

beforeEach(async () => {
  fails = false;
  const fake = fakeBackend('?rows=10');
  const backend: Backend = {
    async call(command, request) {
      if (command === 'ping_server' && fails) throw new Error('did not answer \u202e`ping`');
      const answer = await fake.call(command, request);
      return command === 'describe_server' && 'differences' in answer
        ? { ...answer, ...fakeAgreement(answer.summary) }
        : answer;
    },
  };
  session = new Session(backend);
  const stop = new AbortController();
  void session.run(stop.signal, () => new Promise((resolve) => setTimeout(resolve, 0)));
  const target = document.body.appendChild(document.createElement('div'));
  const panel = mount(OverviewPanel, { target, props: { session } });
  close = () => {
    stop.abort();
    void unmount(panel);
    target.remove();
  };
  await seen('[data-latency]');
});
afterEach(() => close());

const find = <E extends HTMLElement>(selector: string): E | null => document.querySelector<E>(selector);
const words = (selector: string): string => find(selector)?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';

function seen(selector: string): Promise<HTMLElement> {
  return vi.waitFor(
    () => {
      const element = find(selector);
      if (element === null) throw new Error(`no ${selector}`);
      return element;
    },
    { timeout: 30_000 },
  );
}

describe('the overview of a server', () => {
  it('says what both sides can do, and what they do not offer', async () => {
    expect(words('[aria-label="Capabilities of the server"]')).toContain(
      '✓ Resources with subscriptions, and tells when they change',
    );
    expect(words('[aria-label="Capabilities of Sonde"]')).toContain('✓ Elicitation by form and by URL');
    await session.select('filesystem');
    await vi.waitFor(
      () =>
        expect(words('[aria-label="Capabilities of the server"] [data-missing]')).toBe(
          '· no resources, no prompts, no completions, no logging, no tasks',
        ),
      { timeout: 30_000 },
    );
    expect(words('[aria-label="Capabilities of the server"]'), 'what hides is made visible').toContain(
      'Unknown to Sonde: x-vendor\\u202estnirp',
    );
    expect(words('.overview')).toContain(
      '2025-11-25: we asked for 2026-07-28 and the server answered with its own',
    );
    const cells = [...document.querySelectorAll('[data-definitions] tbody :is(th, td)')];
    expect(cells.map((each) => each.textContent)).toEqual(['Tools', '2', '3.7 kB', 'about 920']);
  });

  it('keeps what the sides said word for word', () => {
    const trees = [...document.querySelectorAll('details [role="tree"]')].map((each) => each.textContent);
    expect(trees[0]).toContain('subscribe');
    expect(trees[1]).toContain('elicitation');
  });
});

describe('the latency of a server', () => {
  it('begins with what connecting took, and is measured by a press', async () => {
    expect(words('[data-figure="initialize"]')).toBe('1.2 ms');
    expect(find('svg'), 'nothing to plot yet').toBeNull();
    find('[data-action="ping"]')!.click();
    await seen('svg');
    expect(find('svg')?.getAttribute('aria-label')).toMatch(/^1 ping, answered in [\d.]+ ms to [\d.]+ ms$/);
    expect(find('figure tbody')?.children, 'and as a table').toHaveLength(1);
    expect(words('[data-figure="last ping"]')).toMatch(/ms$/);
  });

  it('shows a ping that failed as a gap, with its reason', async () => {
    fails = true;
    find('[data-action="ping"]')!.click();
    await seen('[aria-label="Pings that failed"]');
    expect(words('[aria-label="Pings that failed"]')).toContain('did not answer \\u202eping');
    expect(document.querySelectorAll('svg .gap')).toHaveLength(1);
    expect(words('[data-figure="p95"]'), 'it has no time').toBe('·');
  });

  it('is measured again and again only while one looks', async () => {
    const toggle = find<HTMLInputElement>('[data-action="repeat-ping"]')!;
    toggle.focus();
    toggle.click();
    flushSync();
    expect(session.pings.repeating).toBe('demo');
    await session.select('filesystem');
    expect(session.pings.repeating, 'another server').toBeNull();
    session.pings.repeat('filesystem');
    close();
    close = () => undefined;
    expect(session.pings.repeating, 'another tab').toBeNull();
  });

  it('is not measured where nobody would answer, and why is said', async () => {
    await session.select('weather');
    await vi.waitFor(() => expect(words('[data-latency]')).toContain('Connect the server to ping it'), {
      timeout: 30_000,
    });
    expect(find<HTMLButtonElement>('[data-action="ping"]')?.disabled).toBe(true);
  });
});
