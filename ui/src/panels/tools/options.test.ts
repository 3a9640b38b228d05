import { describe, expect, it } from 'vitest';
import { metaProblem, OptionsDraft, secondsOf } from './options.svelte';

describe('seconds that are typed', () => {
  it.each([
    ['', null],
    [' 2.5 ', 2500],
    ['.5', 500],
    ['0.0001', 1],
    ['86400', 86_400_000],
  ])('%j are %s milliseconds', (text, ms) => expect(secondsOf(text)).toEqual({ ms, problem: null }));

  it.each(['0', '-1', 'x', '1e9', '86401', '1,5', 'Infinity'])('%j are refused', (text) => {
    expect(secondsOf(text).problem).not.toBeNull();
    expect(secondsOf(text).ms).toBeNull();
  });
});

describe('_meta that is typed', () => {
  it('must be an object', () => {
    expect(metaProblem('')).toBeNull();
    expect(metaProblem('{"a":1}')).toBeNull();
    expect(metaProblem('[1]')).toBe('must be a JSON object');
    expect(metaProblem('{"a":')).toContain('line 1, column 6');
  });
});

describe('the options of a call', () => {
  it('say nothing unless a person does', () => {
    const options = new OptionsDraft();
    expect(options.sendable(null)).toEqual({});
    expect(options.count).toBe(0);
  });

  it('go with the call as they are set', () => {
    const options = new OptionsDraft();
    options.timeout = '2';
    options.meta = '{"trace": 1.10}';
    expect(options.sendable('optional')).toEqual({ meta: '{"trace": 1.10}', timeout_ms: 2000 });
    options.task = true;
    expect(options.sendable('optional')).toMatchObject({ task: { ttl_ms: null } });
    options.ttl = '60';
    expect(options.sendable('optional')).toMatchObject({ task: { ttl_ms: 60_000 } });
    expect(options.count).toBe(4);
  });

  it('make a task of a call where the tool asks for it, and never where it has none', () => {
    const options = new OptionsDraft();
    expect(options.asTask('required')).toBe(true);
    expect(options.asTask('optional')).toBe(false);
    options.task = true;
    expect(options.asTask('forbidden')).toBe(false);
    expect(options.asTask(null)).toBe(false);
    options.task = false;
    expect(options.sendable('required'), 'a person may want to see what then happens').toEqual({});
  });

  it('hold a call back while one of them is wrong, and only those that count', () => {
    const options = new OptionsDraft();
    options.ttl = 'soon';
    expect(options.sendable(null)).toEqual({});
    expect(options.sendable('required')).toBeNull();
    options.ttl = '';
    options.meta = '[]';
    expect(options.sendable(null)).toBeNull();
  });
});
