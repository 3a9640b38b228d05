import {
  Decoration,
  MatchDecorator,
  ViewPlugin,
  WidgetType,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import { visible } from '../components/untrusted';

/**
 * Shows what hides as a token, in the editor as anywhere else in the window: which characters do, and how they are
 * written, only `visible` says. The library has a list of its own, and it is shorter.
 */
const tokens = new MatchDecorator({
  // All that might hide, one by one, so that each can be deleted; variation selectors hide by being many.
  regexp: /[\ufe00-\ufe0f]+|[^ -~\t]/gu,
  decorate: (add, from, to, [text]) => {
    const shown = visible(text);
    if (shown !== text) add(from, to, Decoration.replace({ widget: new Token(shown) }));
  },
});

export const hiddenCharacters = ViewPlugin.define<{ decorations: DecorationSet }>(
  (view) => ({
    decorations: tokens.createDeco(view),
    update(update: ViewUpdate): void {
      this.decorations = tokens.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

class Token extends WidgetType {
  constructor(private readonly text: string) {
    super();
  }

  override eq(other: Token): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    const token = document.createElement('span');
    token.className = 'token';
    token.title = 'made visible: invisible or control characters';
    token.textContent = this.text;
    return token;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
