/**
 * A newcomer's walk through the app in a real browser against the real services: clicks from nothing to a
 * comparison, and the time to open a run, to search 100,000 rows and to check a launch. `clicks` counts mouse
 * presses; choices that the forms prefill cost none.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium as browsers, type Locator, type Page } from '@playwright/test';
import { launchOptions } from '../app/browser.ts';
import { Workbench } from '../app/workbench.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { median, rounded, say } from './figures.ts';

/** One row of the walk: a count of clicks or a time, with its median and maximum over repetitions. */
export interface Stretch {
  readonly what: string;
  readonly unit: 'clicks' | 'ms' | 's';
  readonly median: number;
  readonly max: number;
}

interface Walking {
  readonly rows: number;
  /** Small runs, for a test of the walk itself. */
  readonly tiny: boolean;
}

const stretch = (what: string, unit: Stretch['unit'], values: readonly number[]): Stretch => {
  const found = { what, unit, median: rounded(median(values), 3), max: rounded(Math.max(...values), 3) };
  say(`${what}: ${found.median} ${unit}${values.length > 1 ? ` (max ${found.max})` : ''}`);
  return found;
};

/** A page whose clicks are counted. */
class Walker {
  clicks = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click({ timeout: 60_000 });
  }

  link(name: string): Locator {
    return this.page.getByRole('link', { name, exact: true }).first();
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true }).first();
  }
}

/** Milliseconds in the page from an action until `selector` holds `text`, and is painted. */
async function until(page: Page, act: () => Promise<void>, selector: string, text: string): Promise<number> {
  const painted = page.evaluate(
    ([where, wanted]) =>
      new Promise<number>((resolve) => {
        let begun = NaN;
        const begin = () => {
          begun = performance.now();
        };
        addEventListener('click', begin, { capture: true, once: true });
        addEventListener('input', begin, { capture: true, once: true });
        const look = () => {
          const isThere = [...document.querySelectorAll(where)].some((e) => e.textContent.includes(wanted));
          if (begun > 0 && isThere) resolve(performance.now() - begun);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    [selector, text] as const,
  );
  await act();
  return await painted;
}

/** Changes a form's number, which only a small walk does. */
const set = async (page: Page, label: string, value: string): Promise<void> => {
  const advanced = page.locator('details.advanced');
  if ((await advanced.getAttribute('open')) === null) await advanced.locator('> summary').click();
  await page.getByLabel(label, { exact: true }).first().fill(value);
};

const finished = (page: Page): Promise<void> =>
  page.locator('main.run header .state.done').waitFor({ timeout: 900_000 });

/** Nothing → base policy → GRPO → comparison, from the defaults of Welcome, Home and the forms. */
async function toComparison(walker: Walker, tiny: boolean): Promise<Stretch[]> {
  const { page } = walker;
  const launched = async () => {
    if (tiny) await set(page, 'Steps', '3');
    const begin = performance.now();
    await walker.click(walker.button('Launch'));
    await page.getByRole('tab', { name: 'Curves' }).waitFor({ timeout: 60_000 });
    return performance.now() - begin;
  };
  await walker.click(walker.button('Create workspace'));
  await walker.click(walker.link('Train a base policy'));
  const start = performance.now();
  const launches = [await launched()];
  await finished(page);
  await walker.click(walker.link('Start a run from it'));
  launches.push(await launched());
  await finished(page);
  await walker.click(page.locator('main.run').getByRole('link', { name: 'Compare', exact: true }));
  await page.getByRole('tab', { name: 'Configuration' }).waitFor();
  await page.locator('tbody tr').nth(1).waitFor();
  return [
    stretch('nothing → base → GRPO → comparison', 'clicks', [walker.clicks]),
    stretch('the same, from the first Launch to the comparison', 's', [(performance.now() - start) / 1000]),
    stretch('Launch → run page', 'ms', launches),
  ];
}

/** Repetitions of what takes milliseconds. */
const REPEATED = 10;

async function openRuns({ page }: Walker): Promise<Stretch> {
  const times: number[] = [];
  for (let turn = 0; turn < REPEATED; turn++) {
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByRole('heading', { name: 'Next step' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    const link = page
      .getByRole('list', { name: 'Runs' })
      .getByRole('link')
      .nth(turn % 2);
    await link.waitFor();
    times.push(await until(page, () => link.click(), 'main.run figure, main.run .u-over', ''));
  }
  return stretch('open a run, until its curves are painted', 'ms', times);
}

async function search({ page }: Walker, folder: string, rows: number): Promise<Stretch> {
  const path = join(folder, 'rows.jsonl');
  const words = ['robe', 'bolt', 'fiber', 'apple', 'train', 'market', 'river', 'number'];
  const line = (at: number) =>
    JSON.stringify({
      prompt: `Question ${at}: ${Array.from({ length: 30 }, (_, i) => words[(at * 7 + i * (at % 5)) % 8]).join(' ')}?`,
      answer: `${at} ${words[at % 8]}${at % 9973 === 0 ? ' zebra crossing' : ''}`,
    });
  writeFileSync(path, Array.from({ length: rows }, (_, at) => line(at)).join('\n'));
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByLabel('Path', { exact: true }).fill(path);
  await page.getByLabel('Path', { exact: true }).press('Enter');
  await page.getByRole('button', { name: /^Import (the )?\d/ }).click({ timeout: 300_000 });
  await page.getByRole('tab', { name: /Rows/ }).click({ timeout: 600_000 });
  const field = page.getByLabel('Search rows');
  const matches = Math.ceil(rows / 9973);
  const wanted = `${matches} row`;
  // the full-text index is filled in the background
  await field.fill('zebra');
  for (let last = Infinity; ;) {
    await field.fill('');
    await page
      .getByText(`${rows.toLocaleString('en')} rows`)
      .first()
      .waitFor();
    const now = await until(page, () => field.fill('zebra crossing'), 'body', wanted);
    if (now > last * 0.8 && now < 1000) break;
    last = now;
    await page.waitForTimeout(2000);
  }
  const times: number[] = [];
  for (let turn = 0; turn < REPEATED; turn++) {
    await field.fill('');
    await page
      .getByText(`${rows.toLocaleString('en')} rows`)
      .first()
      .waitFor();
    times.push(await until(page, () => field.fill('zebra crossing'), 'body', wanted));
  }
  return stretch(`search in ${rows.toLocaleString('en')} rows, until the matches are painted`, 'ms', times);
}

export async function measureWalk({ rows, tiny }: Walking): Promise<Stretch[]> {
  if (!chromium()) throw new Error(noChromium);
  const workbench = new Workbench();
  const browser = await browsers.launch(launchOptions);
  try {
    await workbench.start();
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(workbench.url);
    const walker = new Walker(page);
    // the prefilled folder is below the home folder
    await page.getByLabel('New folder').fill(join(workbench.folder, 'first'));
    const found = await toComparison(walker, tiny);
    found.push(await openRuns(walker), await search(walker, workbench.folder, rows));
    return found;
  } finally {
    await browser.close();
    await workbench.remove();
  }
}
