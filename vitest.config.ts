import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

const node = {
  environment: 'node' as const,
  pool: 'forks' as const,
  maxWorkers: 2,
  // bounds on what hangs; a busy machine takes several times as long as a quiet one
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
};

/** For tests that start the command line. */
const bundled = { ...node, globalSetup: ['tests/support/build-main.ts'] };

/** Pass/fail tests. `tests/app` is Playwright's, `tests/bench` is never run here. */
export default defineConfig({
  test: {
    projects: [
      { test: { ...bundled, name: 'engine', include: ['tests/engine/**/*.test.ts'] } },
      { test: { ...bundled, name: 'main', include: ['tests/main/**/*.test.ts'] } },
      { test: { ...node, name: 'contracts', include: ['tests/contracts/**/*.test.ts'] } },
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
