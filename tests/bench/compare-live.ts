import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { Workbench } from '../app/workbench.ts';
import { openStore } from '../../main/store/client.ts';

/** The delay of a live run's steps, from their event in the engine to the frame that shows them. */
export interface Live {
  readonly liveP50Ms: number;
  readonly liveP95Ms: number;
  readonly liveSteps: number;
}

const chart = '[role="img"][aria-label^="loss: "]';

/** In the page: when each last step was drawn first, in milliseconds since 1970. */
const recorder = (where: string): void => {
  const drawn: [number, number][] = [];
  let last = -Infinity;
  const look = (): void => {
    const step = Number(document.querySelector<HTMLElement>(where)?.dataset.last ?? Number.NaN);
    if (step > last) {
      last = step;
      // at the end of the frame that shows it
      setTimeout(() => drawn.push([step, Date.now()]), 0);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  Object.assign(window, { drawnSteps: drawn });
};
const drawnIn = (page: Page): Promise<[number, number][]> =>
  page.evaluate(() => (window as unknown as { drawnSteps: [number, number][] }).drawnSteps);

/** Trains a base policy of the toy world with its page open, and compares the engine's clock with the page's. */
export async function measureLive(browser: Browser, steps: number): Promise<Live> {
  const workbench = new Workbench();
  const folder = join(workbench.folder, 'live');
  try {
    await workbench.run('workspace', 'create', folder);
    await workbench.start('--workspace', folder);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(recorder, chart);
    await page.goto(workbench.url);
    await page.getByRole('link', { name: 'Train a base policy', exact: true }).first().click();
    const advanced = page.locator('details.advanced');
    if ((await advanced.getAttribute('open')) === null) await advanced.locator('> summary').click();
    await page.getByLabel('Steps', { exact: true }).first().fill(String(steps));
    await page.getByRole('button', { name: 'Launch', exact: true }).first().click();
    await page.locator('main.run header .state.done').waitFor({ timeout: 900_000 });
    await page.waitForTimeout(500);
    const drawn = await drawnIn(page);
    const runId = /runs\/([^/?]+)/.exec(page.url())?.[1] ?? '';
    await page.close();
    await workbench.stop();
    return delays(drawn, await recordedIn(folder, runId));
  } finally {
    await workbench.remove();
  }
}

async function recordedIn(folder: string, runId: string) {
  const store = await openStore({ folder, create: false });
  try {
    const query = { runIds: [runId], names: ['loss'], from: 0, to: null, points: 20_000 };
    const [series] = await store.client.metrics.series(query);
    return series;
  } finally {
    await store.close();
  }
}

/** A step is on the screen when it or a later one is the last one drawn. */
function delays(
  drawn: readonly (readonly [number, number])[],
  { steps, at }: { readonly steps: Float64Array; readonly at: Float64Array },
): Live {
  // the first steps arrive while the page still opens
  const times = Array.from(steps.keys())
    .slice(5)
    .flatMap((i) => {
      const shown = drawn.find(([step]) => step >= steps[i]);
      return shown ? [shown[1] - at[i]] : [];
    })
    .sort((a, b) => a - b);
  const of = (share: number): number => times[Math.max(0, Math.ceil(share * times.length) - 1)] ?? Number.NaN;
  return { liveP50Ms: of(0.5), liveP95Ms: of(0.95), liveSteps: times.length };
}
