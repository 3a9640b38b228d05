import { describe, expect, it } from 'vitest';
import type { TaskSummary } from '../../backend/bindings';
import { ago, isOver, kept, progressWords, taskStatus } from './words';

const now = Date.parse('2025-11-25T10:00:00Z');

function task(part: Partial<TaskSummary>): TaskSummary {
  return {
    id: 'a',
    status: 'working',
    message: null,
    created: '2025-11-25T09:59:00Z',
    updated: null,
    ttl_ms: null,
    poll_ms: null,
    definition: '{"ttl":null}',
    problem: null,
    ...part,
  };
}

describe('the state of a task', () => {
  it('has a shape and a word of its own', () => {
    const known = ['working', 'input_required', 'completed', 'failed', 'cancelled'].map(taskStatus);
    expect(known.map(({ glyph }) => glyph)).toEqual(['◐', '?', '✓', '✗', '⊘']);
    expect(known[1]?.word).toBe('input required');
  });

  it('is shown as it is where no revision has it', () => {
    expect(taskStatus('paused').word).toBe('paused');
    expect(taskStatus('__proto__').word).toBe('__proto__');
    expect(isOver('paused'), 'nobody knows').toBe(false);
    expect(isOver('failed')).toBe(true);
  });
});

describe('the time that a task is kept', () => {
  it('counts down from when it was made', () => {
    expect(kept(task({ ttl_ms: 100_000 }), now)).toBe('40 s left');
    expect(kept(task({ ttl_ms: 100_000 }), now + 1000)).toBe('39 s left');
    expect(kept(task({ ttl_ms: 300_000 }), now)).toBe('4 min 0 s left');
    expect(kept(task({ ttl_ms: 7_260_000 }), now)).toBe('2 h 0 min left');
    expect(kept(task({ ttl_ms: 60_000 }), now)).toBe('may be gone');
  });

  it('has no end, or is not said, or began at no time', () => {
    expect(kept(task({}), now)).toBe('kept for ever');
    expect(kept(task({ definition: '{}' }), now)).toBe('not said');
    expect(kept(task({ ttl_ms: 5000, created: 'once' }), now)).toBe('5 s in all');
  });
});

it('says how long ago something was, also by a clock that is ahead or by none', () => {
  expect(ago('2025-11-25T09:58:30Z', now)).toBe('1 min');
  expect(ago('2025-11-25T11:30:00+02:00', now), 'in another zone').toBe('30 min');
  expect(ago('2025-11-25T10:00:30Z', now)).toBe('0 s');
  expect(ago('yesterday', now)).toBeNull();
  expect(ago(null, now)).toBeNull();
});

it('says how far a call is', () => {
  expect(progressWords({ progress: 30, total: 120 })).toBe('25 %');
  expect(progressWords({ progress: 300, total: 120 })).toBe('100 %');
  expect(progressWords({ progress: 7, total: null })).toBe('7');
  expect(progressWords(null)).toBe('');
});
