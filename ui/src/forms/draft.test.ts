import { describe, expect, it } from 'vitest';
import { readJson } from '../json/read';
import { Draft } from './draft.svelte';
import { pointerOf, text, typedValue } from './value';

const schema =
  '{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}';

describe('a draft of arguments', () => {
  it('sends what was typed in the fields, numbers as typed', () => {
    const draft = new Draft(schema);
    draft.change(['b'], typedValue('1.10', 'number'), ['a', 'b']);
    draft.change(['a'], typedValue('2', 'number'), ['a', 'b']);
    expect(draft.sendable, 'in the order of the fields').toBe('{"a":2,"b":1.10}');
    expect(draft.text, 'JSON mode shows the same').toBe('{\n  "a": 2,\n  "b": 1.10\n}');
  });

  it('shows in the fields what was typed as JSON', () => {
    const draft = new Draft(schema);
    draft.mode = 'json';
    draft.setText('{ "a": 12345678901234567890, "extra": [1] }');
    expect(draft.sendable).toBe('{"a":12345678901234567890,"extra":[1]}');
    draft.mode = 'form';
    draft.change(['a'], undefined);
    expect(draft.sendable, 'what the schema does not name stays').toBe('{"extra":[1]}');
  });

  it('keeps JSON text that does not parse, says where, and sends nothing', () => {
    const draft = new Draft(schema);
    draft.mode = 'json';
    draft.setText('{\n  "a": }');
    expect(draft.textProblem).toMatchObject({ line: 2, column: 8 });
    expect(draft.sendable).toBeNull();
    expect(draft.text).toBe('{\n  "a": }');
  });

  it('sends nothing while a field is no JSON, and nothing that only looks like JSON', () => {
    const draft = new Draft(schema);
    draft.change(['a'], typedValue('12x', 'number'));
    expect(draft.sendable).toBeNull();
    expect(draft.problems.at('/a')).toEqual(['must be a number']);
    draft.change(['a'], typedValue('1,"c":2', 'json'));
    expect(draft.sendable, 'it would become two members').toBeNull();
    expect(draft.problems.at('/a')[0]).toContain('column 2');
  });

  it('takes JSON where there is no schema to make fields of', () => {
    for (const nothing of [null, '', 'nonsense', '[]', '"x"', '7', 'null']) {
      const draft = new Draft(nothing);
      expect(draft.mode, String(nothing)).toBe('json');
      draft.setText('[1]');
      expect(draft.sendable, 'arguments are an object').toBeNull();
      draft.setText('{"x":1}');
      expect(draft.sendable).toBe('{"x":1}');
    }
  });

  it('starts with what is required and can be known', () => {
    const draft = new Draft(`{
      "properties": {
        "z": { "const": "fixed" }, "a": { "type": "integer", "default": 1.0 }, "free": { "type": "string" },
        "optional": { "default": 7 }, "inner": { "type": "object", "properties": { "k": { "enum": ["only"] } }, "required": ["k"] }
      },
      "required": ["a", "z", "free", "inner"]
    }`);
    expect(draft.sendable).toBe('{"z":"fixed","a":1.0,"inner":{"k":"only"}}');
  });
});

describe('what the core says', () => {
  it('is told of what was entered at once, and of what is missing after a call was tried', () => {
    const draft = new Draft(schema);
    draft.change(['a'], text('x'));
    const found = [
      { place: '/a', message: 'must be a number' },
      { place: '/b', message: '`b` is required' },
    ];
    draft.judge(draft.sendable!, found, null);
    expect(draft.judged).toBe(true);
    expect([draft.problems.at('/a'), draft.problems.at('/b')]).toEqual([['must be a number'], []]);
    draft.tried = true;
    expect(draft.problems.at('/b')).toEqual(['required']);
    draft.change(['a'], typedValue('1', 'number'));
    expect(draft.problems.at('/a'), 'of what changed nothing is known').toEqual([]);
    expect([draft.judged, draft.problems.at('/b').length], 'of the rest it is').toEqual([false, 1]);
  });

  it('about other arguments than these is not listened to', () => {
    const draft = new Draft(schema);
    draft.judge('{"a":1}', [{ place: '/a', message: 'no' }], 'late');
    expect([draft.problems.count, draft.note]).toEqual([0, null]);
  });

  it('opens what it speaks of', () => {
    const draft = new Draft('{"properties":{"o/p":{"properties":{"q":{"type":"string"}}}}}');
    draft.setText('{"o/p":{"q":1}}');
    draft.setFolded(['o/p'], true);
    draft.judge(draft.sendable!, [{ place: pointerOf(['o/p', 'q']), message: 'must be a text' }], null);
    draft.reveal();
    expect(draft.isFolded(['o/p'])).toBe(false);
  });
});

describe('another variant', () => {
  const trip = `{"properties":{"way":{"oneOf":[
    {"properties":{"by":{"const":"car"},"doors":{"type":"integer"},"name":{"type":"string"}},"required":["by"]},
    {"properties":{"by":{"const":"train"},"class":{"enum":[1,2]},"name":{"type":"string"}},"required":["by"]}]}}}`;

  it('is known by the value, and takes along what both have', () => {
    const draft = new Draft(trip);
    draft.setText('{"way":{"by":"train","class":2,"name":"x"}}');
    const places = draft.shape([draft.book!.root], [], draft.root)!.members.get('way')!;
    const value = readJson('{"by":"train","class":2,"name":"x"}').value;
    const picker = (): NonNullable<ReturnType<Draft['shape']>>['gathered']['pickers'][number] =>
      draft.shape(places, ['way'], value)!.gathered.pickers[0]!;
    expect(picker()).toMatchObject({ chosen: 1, variants: [{ label: 'by: car' }, { label: 'by: train' }] });
    draft.pick(['way'], places, value, picker(), 0);
    expect(draft.sendable).toBe('{"way":{"by":"car","name":"x"}}');
    const now = readJson('{"by":"car","name":"x"}').value;
    draft.pick(['way'], places, now, draft.shape(places, ['way'], now)!.gathered.pickers[0]!, 1);
    expect(draft.sendable, 'and back again, nothing is lost').toBe(
      '{"way":{"by":"train","class":2,"name":"x"}}',
    );
  });
});
