import { buildStale } from '../../main/checkout/build.ts';
import { chromium } from '../run/chromium.ts';

/** Builds what is older than its sources: the page, and the bundled command line that serves it. */
export default async function buildPage(): Promise<void> {
  if (chromium()) await buildStale();
}
