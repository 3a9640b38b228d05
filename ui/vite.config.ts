import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

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
        // What is looked at after the first tab comes in two parts: smaller ones would compress worse. What the first
        // tab needs of them stays with it.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
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
