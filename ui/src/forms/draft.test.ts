import { describe, expect, it } from 'vitest';
import { Draft } from './draft.svelte';

const schema =
  '{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}';
const field = (draft: Draft, name: string) => draft.fields.find((each) => each.name === name)!;

describe('a draft of arguments', () => {
  it('sends what was typed in the fields, numbers as typed', () => {
    const draft = new Draft(schema);
    draft.set(field(draft, 'a'), { state: 'typed', text: '2' });
    draft.set(field(draft, 'b'), { state: 'typed', text: '1.10' });
    expect(draft.sendable).toBe('{"a":2,"b":1.10}');
    expect(draft.text, 'JSON mode shows the same').toBe('{\n  "a": 2,\n  "b": 1.10\n}');
  });

  it('shows in the fields what was typed as JSON', () => {
    const draft = new Draft(schema);
    draft.mode = 'json';
    draft.setText('{ "a": 12345678901234567890, "extra": [1] }');
    expect(draft.sendable).toBe('{"a":12345678901234567890,"extra":[1]}');
    draft.mode = 'form';
    expect(draft.values.get('a')).toEqual({ state: 'typed', text: '12345678901234567890' });
    expect(draft.fields.map((each) => each.name)).toEqual(['a', 'b', 'extra']);
    expect(draft.sendable).toBe('{"a":12345678901234567890,"extra":[1]}');
  });

  it('keeps JSON text that does not parse, says where, and sends nothing', () => {
    const draft = new Draft(schema);
    draft.mode = 'json';
    draft.setText('{\n  "a": }');
    expect(draft.textProblem).toMatchObject({ line: 2, column: 8 });
    expect(draft.sendable).toBeNull();
    expect(draft.text).toBe('{\n  "a": }');
  });

  it('misses a required field only after a call was tried', () => {
    const draft = new Draft(schema);
    expect(draft.problemOf(field(draft, 'a'))).toBeNull();
    draft.tried = true;
    expect(draft.problemOf(field(draft, 'a'))).toBe('required');
    expect(draft.sendable, 'and lets it be left out').toBe('{}');
  });

  it('sends nothing while a field is no JSON', () => {
    const draft = new Draft(schema);
    draft.set(field(draft, 'a'), { state: 'typed', text: '12x' });
    expect(draft.sendable).toBeNull();
    expect(draft.problemOf(field(draft, 'a'))).toBe('must be a number');
  });

  it('takes JSON where the schema has no fields', () => {
    const draft = new Draft('{"oneOf":[]}');
    expect(draft.mode).toBe('json');
    draft.setText('[1]');
    expect(draft.sendable, 'arguments are an object').toBeNull();
    draft.setText('{"x":1}');
    expect(draft.sendable).toBe('{"x":1}');
  });
});
