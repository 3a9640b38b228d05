import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

const rawHtml = 'everything a server sends is text: use text nodes';
const banned = [
  'innerHTML',
  'outerHTML',
  'insertAdjacentHTML',
  'srcdoc',
  'setHTMLUnsafe',
  'createContextualFragment',
];

/** Imports go one way; each folder names what it must not know. */
function mustNotImport(folder, groups, reason) {
  const patterns = [
    { group: groups.flatMap((name) => [`**/${name}/**`]), message: reason },
    { group: ['@tauri-apps/*'], message: 'only backend/tauri.ts talks to the host' },
  ];
  return {
    files: [`src/${folder}/**/*.{ts,svelte}`],
    ignores: ['src/backend/tauri.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'src/backend/bindings.ts'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser } } },
  { files: ['scripts/**', '*.js', '*.ts'], languageOptions: { globals: { ...globals.node } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
  },
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-control-regex': 'off',
      // The characters that hide are named one by one, combining or not.
      'no-misleading-character-class': 'off',
      'no-restricted-properties': [
        'error',
        ...banned.map((property) => ({ property, message: rawHtml })),
        { object: 'document', property: 'write', message: rawHtml },
      ],
      'svelte/no-at-html-tags': 'error',
      // The maps of the models are replaced, never changed.
      'svelte/prefer-svelte-reactivity': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'SvelteAttribute[key.name="style"]',
          message: 'the content security policy drops style attributes: use `style:` directives',
        },
      ],
      'svelte/require-each-key': 'error',
      'max-lines': ['error', 500],
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: { 'max-lines': ['error', 800], '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  mustNotImport(
    'json',
    ['backend', 'model', 'panels', 'components', 'editor', 'forms'],
    'json knows only text',
  ),
  mustNotImport('components', ['backend', 'model', 'panels', 'editor', 'forms'], 'components know no domain'),
  mustNotImport('editor', ['backend', 'model', 'panels', 'forms'], 'the editor knows only text'),
  mustNotImport('forms', ['backend', 'model', 'panels'], 'forms know schemas, not servers'),
  mustNotImport(
    'backend',
    ['model', 'panels', 'components', 'editor', 'forms'],
    'the backend is the lowest layer',
  ),
  mustNotImport('model', ['panels', 'components', 'editor', 'forms'], 'models know no window'),
  mustNotImport('panels', ['App.svelte'], 'panels are composed by App'),
);
