/** Read by Vite and by svelte-check. */
export default {
  compilerOptions: {
    runes: true,
    // The content security policy drops style tags, so every style goes to a file.
    css: 'external',
  },
};
