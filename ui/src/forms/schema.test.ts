import { describe, expect, it } from 'vitest';
import { openSchema } from './schema';

describe('a schema that gives no form', () => {
  it('says whose fault it is', () => {
    const reason = (text: string | null) => openSchema(text).reason;
    expect(reason(null)).toBe('the tool has no input schema');
    expect(reason('{"type":')).toContain('the schema is not JSON');
    expect(reason('{"properties":{"a… (7000 more bytes are in the log)')).toBe(
      'only the beginning of the schema is here',
    );
    expect(reason('{"title":"… (7 more bytes are in the log)"}')).toBe('');
  });
});
