import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/**
 * The page: one bundle for both transports. Relative addresses, since it is served from `app://` and from a
 * loopback port.
 */
export default defineConfig({
  root: fileURLToPath(new URL('renderer', import.meta.url)),
  base: './',
  // plotly.js names the global object as Node does
  define: { global: 'globalThis' },
  plugins: [svelte({ configFile: false })],
  // Fonts and images stay files: a data: URL would need a hole in the content security policy.
  build: {
    outDir: fileURLToPath(new URL('dist/renderer', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2023',
    // plotly.js, which is loaded with the first plot, is the largest
    chunkSizeWarningLimit: 2000,
    modulePreload: { polyfill: false },
  },
});
