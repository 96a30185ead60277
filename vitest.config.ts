import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

const node = {
  environment: 'node' as const,
  pool: 'forks' as const,
  maxWorkers: 2,
  // two test files share the machine; with more threads each they wait for each other
  env: { WHETSTONE_THREADS: '1' },
  // bounds on what hangs; a busy machine takes several times as long as a quiet one
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
};

/** Tests of these folders start threads, processes and the command line from the bundle, which starts faster. */
const bundled = (name: string) => ({
  resolve: {
    alias: [
      {
        find: /^.*\/common\/entry\.ts$/,
        replacement: fileURLToPath(new URL('tests/support/bundled-entry.ts', import.meta.url)),
      },
    ],
  },
  test: {
    ...node,
    name,
    include: [`tests/${name}/**/*.test.ts`],
    globalSetup: ['tests/support/build-main.ts'],
  },
});

/** Pass/fail tests. `tests/app` is Playwright's, `tests/bench` is never run here. */
export default defineConfig({
  test: {
    projects: [
      bundled('engine'),
      bundled('main'),
      bundled('contracts'),
      { test: { ...node, name: 'architecture', include: ['tests/architecture/**/*.test.ts'] } },
      {
        plugins: [svelte({ configFile: false }), svelteTesting()],
        // packages may lie behind a link, outside this folder
        server: { fs: { strict: false } },
        test: {
          ...node,
          name: 'renderer',
          environment: 'jsdom',
          setupFiles: ['tests/support/page.ts'],
          include: ['tests/renderer/**/*.test.ts'],
        },
      },
    ],
  },
});
