import { chromium } from '../run/chromium.ts';

/** How the browser tests and the screenshots start Chromium: without a window, sandbox or network of its own. */
export const launchOptions = {
  executablePath: chromium(),
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
