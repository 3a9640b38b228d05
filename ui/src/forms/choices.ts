import { stringOf, type JsonNode } from '../json/read';
import { compact } from '../json/write';
import { canonical } from './fits';
import type { Gathered } from './gather';
import { lookUp } from './look-up';

/** The values that all lists allow, with the words of whichever has any. */
export function choicesOf({ facets, titled, notes }: Gathered): Choice[] | null {
  let agreed: Choice[] | null = null;
  const add = (choices: Choice[]): void => {
    if (agreed === null) agreed = choices;
    else {
      const words = new Map(choices.map((each) => [canonical(each.node), each]));
      agreed = agreed.flatMap((each) => {
        const twin = words.get(canonical(each.node));
        return twin === undefined ? [] : [twin.label === plainLabel(twin.node) ? each : twin];
      });
    }
  };
  for (const { node } of facets) {
    const fixed = lookUp(node, 'const');
    if (fixed !== undefined) add([choiceOf(fixed, null, null)]);
    const list = lookUp(node, 'enum');
    if (list?.kind !== 'array' || list.items.length === 0) continue;
    if (list.items.length > mostChoices) notes.add(cutChoices(list.items.length));
    const names = lookUp(node, 'enumNames');
    add(
      list.items.slice(0, mostChoices).map((item, at) => choiceOf(item, stringOf(itemAt(names, at)), null)),
    );
  }
  for (const variants of titled) {
    if (variants.length > mostChoices) notes.add(cutChoices(variants.length));
    add(
      variants.slice(0, mostChoices).flatMap((variant) => {
        const fixed = lookUp(variant, 'const') ?? itemAt(lookUp(variant, 'enum'), 0);
        if (fixed === undefined) return [];
        return [
          choiceOf(fixed, stringOf(lookUp(variant, 'title')), stringOf(lookUp(variant, 'description'))),
        ];
      }),
    );
  }
  return agreed;
}

/** `node` is what is sent. */
export type Choice = { label: string; about: string | null; node: JsonNode };

/** Choices beyond these are not listed; whoever knows one writes it. */
const mostChoices = 2000;

function cutChoices(total: number): string {
  return `the first ${mostChoices.toLocaleString('en')} of ${total.toLocaleString('en')} choices; as JSON any can be sent`;
}

function choiceOf(node: JsonNode, title: string | null, about: string | null): Choice {
  return { label: title ?? plainLabel(node), about, node };
}

/** Text that could be taken for another value keeps its quotes. */
function plainLabel(node: JsonNode): string {
  if (node.kind !== 'string') return compact(node);
  return /^\s*$|^(true|false|null|-?[0-9].*|[[{"].*)$/.test(node.value) ? node.text : node.value;
}

function itemAt(node: JsonNode | undefined, at: number): JsonNode | undefined {
  return node?.kind === 'array' ? node.items[at] : undefined;
}
