import type { ArgumentsCheck, ToolDetail, Violation } from './bindings';

type Schema = {
  type?: string;
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
};

/** A little of what the core checks, so that the page can be looked at with things that are wrong. */
export function checkArguments(tool: ToolDetail | undefined, text: string): ArgumentsCheck {
  return checkSchema(tool?.input_schema ?? '{}', text);
}

export function checkSchema(schema: string, text: string): ArgumentsCheck {
  const violations: Violation[] = [];
  const walk = (schema: Schema, value: unknown, path: string): void => {
    const say = (place: string, message: string): void => void violations.push({ path, place, message });
    if (typeof value === 'number') {
      if (schema.minimum !== undefined && value < schema.minimum)
        say(path, `must be at least ${schema.minimum}`);
      if (schema.maximum !== undefined && value > schema.maximum)
        say(path, `must be at most ${schema.maximum}`);
    } else if (Array.isArray(value)) {
      value.forEach((item, at) => walk(schema.items ?? {}, item, `${path}/${at}`));
    } else if (typeof value === 'object' && value !== null) {
      for (const name of schema.required ?? [])
        if (!(name in value)) say(`${path}/${name}`, `\`${name}\` is required`);
      for (const [name, inner] of Object.entries(value))
        walk(schema.properties?.[name] ?? {}, inner, `${path}/${name}`);
    } else if (schema.type === 'integer' || schema.type === 'number') {
      say(path, schema.type === 'integer' ? 'must be an integer' : 'must be a number');
    }
  };
  walk(JSON.parse(schema) as Schema, JSON.parse(text), '');
  return { violations, note: null };
}
