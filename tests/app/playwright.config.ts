import { defineConfig } from '@playwright/test';
import { launchOptions } from './browser.ts';

/** A real browser against the real services; the page is built first. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  globalSetup: './build-page.ts',
  outputDir: '../../test-results',
  // each has its own browser and services
  workers: 2,
  timeout: 240_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: { viewport: { width: 1440, height: 900 }, launchOptions },
});
