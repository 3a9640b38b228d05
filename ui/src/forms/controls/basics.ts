import type { JsonNode } from '../../json/read';

/** What every control is told: who names it, who describes it, and what it shows. */
export type Basics = {
  id: string;
  label: string;
  described: string | undefined;
  invalid: boolean;
  value: JsonNode | undefined;
  enter: (value: JsonNode | undefined) => void;
};

export type Role = 'required' | 'optional' | 'item';

/** Characters that are put into a text area unasked: laying out a million takes it seconds. */
export const longestText = 10_000;
