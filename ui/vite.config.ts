import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** What stands beside a form: the tool, its result, a row of the log, and the questions of a server. */
const withForms = new RegExp(
  [
    'forms/',
    'components/(JsonTree|tree|Diff|diff)',
    'editor/JsonEditor',
    'panels/(CallHead|CallPane|call-words|declares|content)',
    'panels/log/(RowDetail|Frame|Finding|Http|http|Hex|hex)',
    'panels/questions/(?!QuestionStrip)',
    'panels/tools/(?!ToolsPanel|ToolList|ToolNews|ToolIcon|meta|drafts|hints|options)',
  ]
    .map((path) => `src/${path}`)
    .join('|'),
);

export default defineConfig({
  plugins: [svelte()],
  clearScreen: false,
  // `localhost` may be IPv6 first; the window and the tests both use the address.
  server: {
    host: '127.0.0.1',
    port: 1420,
    strictPort: true,
    // Fixtures that the tests of the core read as well.
    ...(process.env['VITEST'] ? { fs: { allow: ['.', '../target/json-schema', '../target/peers'] } } : {}),
  },
  // Under test, Svelte must resolve to its client build: the models use runes in effects.
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  build: {
    target: 'safari16',
    outDir: 'dist',
    emptyOutDir: true,
    // data: URLs are outside the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What the first tab shows a moment later comes in one part, with the questions that have the same forms, and
        // what is looked at after it in two: smaller ones would compress worse. What the page begins with needs none
        // of them.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'forms', test: withForms },
            {
              name: 'rooms',
              test: /src\/panels\/(form|import\/(?!Drop)|files|doctor|settings|send|palette)/,
            },
            {
              name: 'panels',
              test: /src\/panels\/(overview|resources|prompts|completion|tasks|logs)\/(?!meta|reach)/,
            },
          ],
        },
      },
    },
  },
  test: {
    environment: 'happy-dom',
    // The tokens are read and checked as text.
    css: true,
    include: ['src/**/*.test.ts'],
    // A limit against hanging, not a measure: the machine may be busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
