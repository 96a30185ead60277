import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium as browsers, type Browser, type Page } from '@playwright/test';
import Database from 'better-sqlite3';
import { openDatabase } from '../../main/store/database.ts';
import buildPage from '../app/build-page.ts';
import { launchOptions } from '../app/browser.ts';
import { Workbench } from '../app/workbench.ts';
import { root } from '../run/check.ts';
import { chromium, noChromium } from '../run/chromium.ts';

/** Milliseconds from the key's event to the end of the frame that painted the next item. */
interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}
interface Labeled extends Latency {
  /** Keys, those of the burst included, that are no decision on disk, or the wrong one. */
  readonly lost: number;
}
interface LabelFigures extends Labeled {
  /** The same of a page that only exchanges a word: what no page can fall below here. */
  readonly word: Latency;
  /**
   * The same of a page that exchanges a word but draws at each beat of the screen: what no page can fall below
   * that draws something after a key, since the next frame waits for the beat (60 a second).
   */
  readonly drawing: Latency;
  /** Labeling by a browser whose frames wait for no beat, as on a screen of many frames a second. */
  readonly unlimited: Labeled;
}

/** Characters of a text of 2,000 tokens of English prose, at 4.2 characters per token. */
const itemCharacters = 8_400;
const queuePairs = 100_000;
/** Keys sent at once after the paced ones. */
const burst = 100;
const setId = 'bench-set';
const keys = ['ArrowLeft', 'ArrowRight', '1', '2', 't', 'b', 's'];

/** All Markdown of the project, as realistic prose with lists, tables and code. */
function prose(): string {
  const rooms = ['engine', 'main', 'renderer', 'preload', 'tests'];
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => join(root, room, path)),
  );
  return ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md']
    .map((name) => join(root, name))
    .concat(files.sort())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

/**
 * Stores a set of 100,000 pairs. The first `long` of them, those to be labeled, have two answers of 2,000
 * tokens each; the others are short, so that the file stays small.
 */
function storePairs(folder: string, long: number): void {
  const text = prose();
  const cut = (i: number) => {
    const from = (i * 6_151) % (text.length - itemCharacters);
    return text.slice(from, from + itemCharacters);
  };
  const db = openDatabase(join(folder, 'workspace.db'), { create: false });
  try {
    db.transaction(() => {
      db.prepare(
        'insert into label_sets (id, name, created_at, seed, visible, pairs) values (?, ?, 0, 0, 1, ?)',
      ).run(setId, 'bench', queuePairs);
      const insert = db.prepare(
        'insert into pairs (id, set_id, position, prompt_id, prompt, a, b, origin_a, origin_b, left_is) ' +
          "values (?, ?, ?, ?, ?, ?, ?, 'x', 'y', ?)",
      );
      for (let i = 0; i < queuePairs; i += 1) {
        const [a, b] = i < long ? [cut(2 * i), cut(2 * i + 1)] : [`yes, ${i}`, `no, ${i}`];
        const id = `pair-${String(i).padStart(6, '0')}`;
        insert.run(id, setId, i, id, `Question ${i}: which explains it better?`, a, b, i % 3 ? 'a' : 'b');
      }
    })();
  } finally {
    db.close();
  }
}

/** Records, in the page, the time from each trusted key press to the end of the frame with the next prompt. */
const recorder = (): void => {
  const times: number[] = [];
  const prompt = () => document.querySelector('.item.front [aria-label="Prompt"]')?.textContent ?? '';
  addEventListener(
    'keydown',
    (event) => {
      if (!event.isTrusted) return;
      const before = prompt();
      const look = () => {
        if (prompt() === before) requestAnimationFrame(look);
        else setTimeout(() => times.push(performance.now() - event.timeStamp), 0);
      };
      requestAnimationFrame(look);
    },
    { capture: true },
  );
  Object.assign(window, { labelTimes: times });
};

const timesOf = (page: Page): Promise<number[]> =>
  page.evaluate(() => (window as unknown as { labelTimes: number[] }).labelTimes);

/** Decisions on disk, in order: position of the pair, and a key that makes this verdict. */
function decisions(folder: string): { position: number; choice: string }[] {
  const db = new Database(join(folder, 'workspace.db'), { readonly: true });
  try {
    return db
      .prepare<[string], { position: number; choice: string }>(
        "select p.position, case when e.verdict in ('a', 'b') then iif(e.verdict = p.left_is, 'left', 'right') " +
          'else e.verdict end choice from label_events e join pairs p on p.id = e.pair_id where e.set_id = ? ' +
          'order by e.sequence',
      )
      .all(setId);
  } finally {
    db.close();
  }
}

const choices: Readonly<Record<string, string>> = {
  ArrowLeft: 'left',
  '1': 'left',
  ArrowRight: 'right',
  '2': 'right',
  t: 'tie',
  b: 'both-bad',
  s: 'skip',
};

/** Presses the i-th key, and waits 40 to 90 ms. */
async function pressPaced(page: Page, i: number): Promise<string> {
  const key = keys[(i * 5 + (i >> 3)) % keys.length];
  await page.keyboard.press(key);
  await page.waitForTimeout(40 + ((i * 37) % 51));
  return key;
}

/** Labels `items` pairs, one key per 40 to 90 ms, then `burst` keys in one task. */
async function labelBy(page: Page, items: number): Promise<readonly string[]> {
  const pressed: string[] = [];
  for (let i = 0; i < items; i += 1) {
    pressed.push(await pressPaced(page, i));
    if (i % 100 === 99) process.stderr.write(`${i + 1} items\n`);
  }
  const more = Array.from({ length: burst }, (_none, i) => keys[(i * 3) % keys.length]);
  await page.evaluate((names) => {
    for (const key of names)
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true }));
  }, more);
  const all = [...pressed, ...more];
  await page
    .getByText(`${all.length.toLocaleString('en')} / `)
    .waitFor({ timeout: 30_000 })
    .catch(() => process.stderr.write('Not every key became a decision within 30 s.\n'));
  return all;
}

function quantiles(times: readonly number[]): Latency {
  const sorted = times.toSorted((x, y) => x - y);
  const at = (share: number) => Number((sorted[Math.ceil(share * sorted.length) - 1] ?? NaN).toFixed(1));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Labels pairs in a workspace of its own, by the given browser. */
async function labeledIn(browser: Browser, items: number): Promise<Labeled> {
  const workbench = new Workbench();
  const folder = join(workbench.folder, 'first');
  try {
    await workbench.run('workspace', 'create', folder);
    storePairs(folder, items + burst);
    await workbench.start('--workspace', folder);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(recorder);
    await page.goto(workbench.url);
    await page.evaluate((id) => {
      location.hash = `#/label/${id}`;
    }, setId);
    await page.getByRole('region', { name: 'Prompt' }).waitFor();
    const pressed = await labelBy(page, items);
    const times = (await timesOf(page)).slice(0, items);
    const stored = decisions(folder);
    const right = pressed.filter(
      (key, i) => stored.at(i)?.position === i && stored.at(i)?.choice === choices[key],
    );
    return { ...quantiles(times), lost: pressed.length - right.length };
  } finally {
    await workbench.remove();
  }
}

/**
 * Latency of a page that exchanges a word at each key, with the same recorder and pace; one that `draws` also
 * moves a dot with each frame.
 */
async function wordIn(browser: Browser, items: number, draws: boolean): Promise<Latency> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(recorder);
  await page.goto('data:text/html,<div class="item front"><p aria-label="Prompt">0</p></div>');
  await page.evaluate((isDrawing) => {
    const word = document.querySelector('p');
    addEventListener('keydown', () => {
      if (word) word.textContent = `${Number(word.textContent) + 1}`;
    });
    const dot = document.body.appendChild(document.createElement('b'));
    dot.textContent = '.';
    const draw = (time: number) => {
      dot.style.paddingLeft = `${time % 100}px`;
      requestAnimationFrame(draw);
    };
    if (isDrawing) requestAnimationFrame(draw);
  }, draws);
  for (let i = 0; i < items; i += 1) await pressPaced(page, i);
  return quantiles(await timesOf(page));
}

/** Labels `items` pairs of 2,000 tokens an answer, out of 100,000, in a real browser with the real services. */
export async function measureLabeling({ items }: { items: number }): Promise<LabelFigures> {
  if (!chromium()) throw new Error(noChromium);
  await buildPage();
  const withBrowser = async <T>(
    flags: readonly string[],
    run: (browser: Browser) => Promise<T>,
  ): Promise<T> => {
    const browser = await browsers.launch({ ...launchOptions, args: [...launchOptions.args, ...flags] });
    try {
      return await run(browser);
    } finally {
      await browser.close();
    }
  };
  const atBeat = await withBrowser([], async (browser) => ({
    ...(await labeledIn(browser, items)),
    word: await wordIn(browser, items, false),
    drawing: await wordIn(browser, items, true),
  }));
  const flags = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];
  return { ...atBeat, unlimited: await withBrowser(flags, (browser) => labeledIn(browser, items)) };
}
