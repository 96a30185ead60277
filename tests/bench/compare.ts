/**
 * Curves of many runs of many points in Compare, in a real browser against the real services: the first picture,
 * zooming and moving, points written while curves are read, and the delay of a live run's steps.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as browsers, type Browser, type Page } from '@playwright/test';
import buildPage from '../app/build-page.ts';
import { launchOptions } from '../app/browser.ts';
import { Workbench } from '../app/workbench.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { lostSpikes, metric, storeCurves, type Stored } from '../support/stored-curves.ts';
import { measureLive, type Live } from './compare-live.ts';
import { measureWriting, type Written } from './compare-writing.ts';
import { median, say } from './figures.ts';

interface Zooming {
  /** From the choice of the tab to the picture of all curves: the median and all of the openings. */
  readonly firstPictureMs: number;
  readonly firstPicturesMs: readonly number[];
  /** From the input to the frame that shows the new part, of the points that the page has. */
  readonly zoomP50Ms: number;
  readonly zoomP95Ms: number;
  /** From the input to the frame that shows it at its own resolution. */
  readonly sharpP50Ms: number;
  readonly sharpP95Ms: number;
  readonly zooms: number;
}

export interface ComparedFigures extends Zooming, Written, Live {
  readonly runs: number;
  readonly points: number;
  readonly spikesLost: number;
  readonly makeSeconds: number;
  readonly databaseBytes: number;
  readonly machine: string;
  readonly loadAverage: number;
}

const openings = 5;

export async function measureCompare({
  runs,
  points,
  steps,
}: {
  runs: number;
  points: number;
  /** Steps of the live run. */
  steps: number;
}): Promise<ComparedFigures> {
  if (!chromium()) throw new Error(noChromium);
  await buildPage();
  const home = mkdtempSync(join(tmpdir(), 'whetstone-bench-'));
  try {
    const folder = join(home, 'workspace');
    mkdirSync(home, { recursive: true });
    const start = performance.now();
    const stored = await storeCurves(folder, runs, points);
    const makeSeconds = Math.round((performance.now() - start) / 100) / 10;
    const databaseBytes = statSync(join(folder, 'workspace.db')).size;
    say(`${runs} runs of ${points} points stored in ${makeSeconds} s, ${Math.round(databaseBytes / 1e6)} MB`);
    const spikesLost = await lostSpikes(folder, stored, points);
    say(`spikes lost: ${spikesLost}`);
    const browser = await browsers.launch(launchOptions);
    try {
      const zooming = await measureZooming(browser, folder, stored);
      say(JSON.stringify(zooming));
      const written = await measureWriting(folder, stored, points, 5);
      say(JSON.stringify(written));
      const live = await measureLive(browser, steps);
      say(JSON.stringify(live));
      const machine = `${cpus()[0].model.trim()}, ${cpus().length} cores`;
      const [loadAverage] = loadavg();
      const facts = { spikesLost, makeSeconds, databaseBytes, machine, loadAverage };
      return { runs, points, ...zooming, ...written, ...live, ...facts };
    } finally {
      await browser.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The chart, found again at each look: a page may exchange it. */
const chart = `[role="img"][aria-label^="${metric}: "]`;

interface Times {
  readonly seen: number[];
  readonly sharp: number[];
}

/** In the page: the time from an event to the next frame after that of another part, at first and in full. */
const recorder = (where: string): void => {
  const times: Times = { seen: [], sharp: [] };
  const host = () => document.querySelector<HTMLElement>(where);
  const record = (event: Event): void => {
    // the key that is held for the wheel shows nothing
    if (!event.isTrusted || (event as KeyboardEvent).key === 'Control') return;
    const before = host()?.dataset.span;
    const isShown = () => host()?.dataset.span !== before;
    const wait = (to: number[], isDone: () => boolean): void => {
      const look = (): void => {
        if (!isDone()) requestAnimationFrame(look);
        // the next frame begins after this one is painted
        else requestAnimationFrame(() => setTimeout(() => to.push(performance.now() - event.timeStamp), 0));
      };
      requestAnimationFrame(look);
    };
    wait(times.seen, isShown);
    wait(times.sharp, () => isShown() && host()?.ariaBusy !== 'true');
  };
  for (const kind of ['wheel', 'keydown', 'dblclick'])
    addEventListener(kind, record, { capture: true, passive: true });
  addEventListener(
    'mouseup',
    (event) => {
      if (Object.assign(window).dragging) record(event);
    },
    { capture: true },
  );
  Object.assign(window, { zoomTimes: times, dragging: false });
};
const timesOf = (page: Page): Promise<Times> =>
  page.evaluate(() => (window as unknown as { zoomTimes: Times }).zoomTimes);
const at = (times: readonly number[], share: number): number =>
  Math.round(times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1]);

async function measureZooming(browser: Browser, folder: string, { ids }: Stored): Promise<Zooming> {
  const workbench = new Workbench();
  try {
    await workbench.start('--workspace', folder);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });

    await page.addInitScript(recorder, chart);
    const first: number[] = [];
    for (let turn = 0; turn < openings; turn += 1) first.push(await openCurves(page, workbench.url, ids));
    await zoomAround(page);
    const { seen, sharp } = await timesOf(page);
    const rounded = first.map((ms) => Math.round(ms));
    return {
      firstPictureMs: Math.round(median(first)),
      firstPicturesMs: rounded,
      zoomP50Ms: at(seen, 0.5),
      zoomP95Ms: at(seen, 0.95),
      sharpP50Ms: at(sharp, 0.5),
      sharpP95Ms: at(sharp, 0.95),
      zooms: sharp.length,
    };
  } finally {
    await workbench.remove();
  }
}

/** Opens the comparison anew, then its curves; milliseconds from the choice of the tab to the picture. */
async function openCurves(page: Page, url: string, ids: readonly string[]): Promise<number> {
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByText('Engine idle').waitFor();
  await page.evaluate(
    (hash) => {
      location.hash = hash;
    },
    `#/compare?runs=${ids.join(',')}&tab=configuration&curves=${metric}`,
  );
  const tab = page.getByRole('tab', { name: 'Curves' });
  await tab.waitFor();
  await page.getByRole('tabpanel').locator('table, p').first().waitFor();
  await page.waitForTimeout(500);
  const drawn = page.evaluate(
    (where) =>
      new Promise<number>((resolve) => {
        addEventListener(
          'click',
          ({ timeStamp }) => {
            const look = (): void => {
              if (document.querySelector<HTMLElement>(where)?.dataset.span === undefined)
                requestAnimationFrame(look);
              else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp), 0));
            };
            look();
          },
          { capture: true, once: true },
        );
      }),
    chart,
  );
  await tab.click();
  return await drawn;
}

/** Zooms in by the wheel, moves by keys, drags a part, and shows the whole again; at the pace of a person. */
async function zoomAround(page: Page): Promise<void> {
  const host = page.locator(chart);
  const box = await host.locator('.u-over').boundingBox();
  if (!box) throw new Error('The chart is not on the screen.');
  const y = box.y + box.height / 2;
  const settled = async (): Promise<void> => {
    await page.waitForTimeout(150);
    await page.locator(`${chart}[aria-busy="false"]`).waitFor();
    await page.waitForTimeout(100);
  };
  for (let round = 0; round < 6; round += 1) {
    await page.mouse.move(box.x + box.width * (0.2 + 0.1 * round), y);
    await page.keyboard.down('Control');
    await settled();
    for (let turn = 0; turn < 8; turn += 1) {
      await page.mouse.wheel(0, -400);
      await settled();
    }
    await page.keyboard.up('Control');
    await host.focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', '-']) {
      await page.keyboard.press(key);
      await settled();
    }
    await page.evaluate(() => Object.assign(window, { dragging: true }));
    await page.mouse.move(box.x + box.width * 0.3, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 });
    await page.mouse.up();
    await settled();
    await page.evaluate(() => Object.assign(window, { dragging: false }));
    await page.keyboard.press('0');
    await settled();
  }
}
