import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { hiddenCharacters } from './hidden-characters';

/** The editor library, behind what the window needs of it. Only ever loaded by a dynamic import. */
export function openEditor(parent: HTMLElement, options: EditorOptions): Editor {
  // The library brings its styles at run time. Outside of a shadow root the content security policy drops them.
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        hiddenCharacters,
        indentOnInput(),
        bracketMatching(),
        json(),
        theme,
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': options.label }),
        keymap.of([
          // Left to the window: Ctrl+Enter calls the tool.
          { key: 'Mod-Enter', run: () => true },
          // Tab indents; Esc first gives the focus back to the Tab key.
          ...defaultKeymap,
          ...historyKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onchange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    replace(text: string): void {
      if (text === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

export type EditorOptions = {
  text: string;
  label: string;
  onchange: (text: string) => void;
};
export type Editor = { replace(text: string): void; focus(): void; close(): void };

const theme = EditorView.theme({
  '&': { height: '100%', font: 'var(--mono)', color: 'var(--text)', backgroundColor: 'var(--panel)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono-family)', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '6px 0' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--faint)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-bg) !important',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-bg)', outline: '1px solid var(--accent)' },
  '.cm-nonmatchingBracket': { color: 'var(--err)' },
  '.token': {
    color: 'var(--err)',
    backgroundColor: 'var(--err-bg)',
    borderRadius: '3px',
    padding: '0 2px',
    fontSize: '11px',
  },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--key)' },
  { tag: tags.string, color: 'var(--str)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--num)' },
  { tag: tags.invalid, color: 'var(--err)' },
]);
