import { readJson } from '../json/read';
import type { Value } from './arguments';
import type { Control, Field, Limit } from './field';

/**
 * What is wrong with a field, if anything. A value that only breaks the schema can still be sent: how a server
 * answers it is worth seeing. One that is no JSON can't.
 */
export function checkField(field: Field, value: Value): Check | null {
  if (value.state === 'absent') {
    return field.required ? { message: 'required', sendable: true } : null;
  }
  if (value.state === 'null') return null;
  if (value.state === 'json')
    return { message: 'must be text', sendable: readJson(value.text).problem === null };
  return checkText(field.control, value.text);
}

export type Check = { message: string; sendable: boolean };

function checkText(control: Control, text: string): Check | null {
  switch (control.kind) {
    case 'text':
      return against(textProblem(control, text));
    case 'number':
      return checkNumber(control, text.trim());
    case 'json': {
      const { problem } = readJson(text);
      if (problem === null) return null;
      return {
        message: `line ${problem.line}, column ${problem.column}: ${problem.message}`,
        sendable: false,
      };
    }
    case 'boolean':
      return against(text === 'true' || text === 'false' ? null : 'must be true or false', text);
    case 'choice':
      return against(
        control.options.some((option) => option.json === text) ? null : 'must be one of the choices',
        text,
      );
  }
}

function against(message: string | null, json = 'null'): Check | null {
  return message === null ? null : { message, sendable: readJson(json).problem === null };
}

const numberPattern = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function checkNumber(control: Extract<Control, { kind: 'number' }>, text: string): Check | null {
  if (!numberPattern.test(text)) {
    // JSON of another type, come from JSON mode, can be sent all the same.
    return {
      message: control.integer ? 'must be an integer' : 'must be a number',
      sendable: readJson(text).problem === null,
    };
  }
  if (control.integer && !isInteger(text)) return { message: 'must be an integer', sendable: true };
  for (const limit of control.limits) {
    const message = limitProblem(limit, text);
    if (message !== null) return { message, sendable: true };
  }
  return null;
}

function isInteger(text: string): boolean {
  // 1.0 and 1e3 are integers to JSON Schema; digits alone are, whatever their number.
  return /^-?[0-9]+$/.test(text) || Number.isInteger(Number(text));
}

function limitProblem({ keyword, value }: Limit, text: string): string | null {
  const order = compareNumbers(text, value);
  switch (keyword) {
    case 'minimum':
      return order < 0 ? `must be at least ${value}` : null;
    case 'maximum':
      return order > 0 ? `must be at most ${value}` : null;
    case 'exclusiveMinimum':
      return order <= 0 ? `must be above ${value}` : null;
    case 'exclusiveMaximum':
      return order >= 0 ? `must be below ${value}` : null;
    case 'multipleOf': {
      const parts = Number(text) / Number(value);
      return Number.isFinite(parts) && Math.abs(parts - Math.round(parts)) > 1e-9
        ? `must be a multiple of ${value}`
        : null;
    }
  }
}

/** Exact for integers of any length; as doubles otherwise. */
function compareNumbers(one: string, other: string): number {
  if (/^-?[0-9]+$/.test(one) && /^-?[0-9]+$/.test(other)) {
    const difference = BigInt(one) - BigInt(other);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  return Math.sign(Number(one) - Number(other));
}

const formats: Record<string, RegExp> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  time: /^\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S*$/i,
  url: /^[a-z][a-z0-9+.-]*:\S*$/i,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  ipv4: /^(\d{1,3}\.){3}\d{1,3}$/,
};

/** An example to type after, for formats that need one. */
export const formatExamples: Record<string, string> = {
  date: '2026-03-31',
  time: '12:30:00Z',
  'date-time': '2026-03-31T12:30:00Z',
  email: 'name@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
};

function textProblem(control: Extract<Control, { kind: 'text' }>, text: string): string | null {
  const length = [...text].length;
  if (control.minLength !== null && length < control.minLength)
    return `must have at least ${control.minLength} characters`;
  if (control.maxLength !== null && length > control.maxLength)
    return `must have at most ${control.maxLength} characters`;
  if (control.pattern !== null && matches(control.pattern, text) === false)
    return `must match \`${control.pattern}\``;
  const format =
    control.format !== null && Object.hasOwn(formats, control.format) ? formats[control.format] : undefined;
  if (format !== undefined && !format.test(text))
    return `must be a ${control.format}, as in \`${formatExamples[control.format ?? '']}\``;
  return null;
}

/** Nothing when it can't be told: a pattern may be malformed, or slow on purpose. */
function matches(pattern: string, text: string): boolean | null {
  // Nested repetition is how a pattern is made to hang; such a one is left to the server.
  if (pattern.length > 200 || text.length > 1000 || /[*+}]\)?[*+{]|\([^)]*[*+|][^)]*\)[*+{]/.test(pattern))
    return null;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return null;
  }
}
