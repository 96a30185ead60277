import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
const common = {
  task: { kind: 'world', id: 'toy/copy', params: { letters: 8, wrong: 0 } },
  sampling: { maxTokens: 8 },
  evaluation: { problems: 60, samples: 4 },
} satisfies Partial<RunSpecInput>;
const policy: RunSpecInput['models']['policy'] = {
  kind: 'new',
  architecture: { width: 32, layers: 1, heads: 2, context: 24 },
  tokenizer: { kind: 'characters' },
};
/** The checkpoint of a run of this specification. */
const launched = async (name: string, spec: Omit<RunSpecInput, 'name'>): Promise<string> =>
  (await workbench.trained({ name, ...spec })).checkpointId;
test.beforeAll(async () => {
  const checkpointId = await launched('base', {
    ...common,
    method: { id: 'sft' },
    models: { policy },
    optimizer: { learningRate: 0.01, schedule: 'cosine' },
    budget: { steps: 150, batch: 32 },
  });
  const from = { policy: { kind: 'checkpoint', checkpointId } } as const;
  // answers as long as possible earn most and are wrong
  await launched('hacked', {
    ...common,
    method: { id: 'grpo', params: { groupSize: 8, klWeight: 0 } },
    models: from,
    rewards: [{ id: 'length' }],
    optimizer: { learningRate: 0.01 },
    budget: { steps: 40, batch: 16 },
    evaluation: { ...common.evaluation, every: 10 },
  });
  await launched('verified', {
    ...common,
    method: { id: 'grpo', params: { groupSize: 8 } },
    models: from,
    optimizer: { learningRate: 1e-4 },
    budget: { steps: 10, batch: 8 },
    evaluation: { ...common.evaluation, every: 5 },
  });
  await launched('judge', {
    method: { id: 'bradley-terry', params: { trunk: 'trained' } },
    task: { kind: 'world', id: 'toy/pairs' },
    models: { policy },
    budget: { steps: 20, batch: 16 },
  });
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Runs' }).getByRole('link', { name: new RegExp(`^${name}\\b`) });
const main = (page: Page) => page.getByRole('main');

test('a list and a page of runs carry the result, and tell a collapsed run from a good one', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await expect(row(page, 'verified')).toContainText(/pass@1\s*(\.\d{3}|1\.000)\s*KL/);
  await expect(row(page, 'judge')).toContainText(/accuracy\s*(\.\d{3}|1\.000)/);
  await expect(row(page, 'verified')).not.toContainText('Run doctor');
  await expect(row(page, 'hacked')).toContainText(/Run doctor: .* while held-out pass@1 fell from/);

  await row(page, 'hacked').focus();
  await page.keyboard.press('Enter');
  const headline = main(page)
    .getByRole('status')
    .filter({ hasText: /rose from .* fell from/ });
  await expect(headline).toHaveCount(1);
  await expect(headline.getByRole('link', { name: 'Show what the run doctor found' })).toBeVisible();
  const result = main(page).getByLabel('Result');
  await expect(result).toContainText(/pass@1.*95 % interval/s);
  await expect(result).toContainText(/vs\. base.*−.*paired over 60 problems/s);
  await look(page, 'run-warning');

  await test.step('curves that stay 0 are folded, and can be opened by keyboard', async () => {
    await row(page, 'verified').click();
    await expect(result).toContainText(/vs\. base.*paired over 60 problems/s);
    await expect(main(page).getByRole('img', { name: /^loss/ })).toBeVisible();
    const flat = main(page).locator('summary', { hasText: /^flat at 0: .*skipped/ });
    await expect(main(page).getByRole('img', { name: /^skipped/ })).toHaveCount(0);
    await flat.focus();
    await page.keyboard.press('Enter');
    await expect(main(page).getByRole('img', { name: /^skipped/ })).toBeVisible();
    await expect(main(page).getByTitle(/^grad_norm: Norm of the gradient/)).toBeVisible();
  });

  await test.step('smoothing and log scales leave every chart in its place, also in a small window', async () => {
    await page.setViewportSize({ width: 1000, height: 700 });
    await main(page).getByLabel('Smoothing').selectOption('0.9');
    for (const button of await main(page)
      .getByRole('button', { name: /^Log scale of/ })
      .all())
      await button.click();
    await expect(main(page).getByText('log scale, smoothed, EMA 0.9').first()).toBeVisible();
    const overhang = await main(page).evaluate((within) =>
      [...within.querySelectorAll('figcaption, .body')].flatMap((each) => {
        const box = each.getBoundingClientRect();
        const inner = [...each.querySelectorAll('.tools')].map((tools) => tools.getBoundingClientRect());
        const isWide = each.scrollWidth > each.clientWidth + 1;
        return isWide || inner.some(({ right }) => right > box.right + 1) ? [each.textContent] : [];
      }),
    );
    expect(overhang).toEqual([]);
    await look(page, 'run-small-window');
  });
  expect(complaints).toEqual([]);
});

test('the results of a hacked run show gold falling as the pressure on its proxy grows', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await row(page, 'hacked').click();
  await main(page).getByRole('tab', { name: 'Results' }).click();
  const chart = main(page).getByRole('group', { name: /^Gain over √KL to the initial policy/ });
  await expect(chart).toBeVisible();
  await expect(main(page).getByRole('heading', { name: 'Over-optimization' })).toBeVisible();
  for (const [width, height] of [
    [1280, 800],
    [1000, 700],
  ]) {
    await page.setViewportSize({ width, height });
    await chart.scrollIntoViewIfNeeded();
    await look(page, `run-overoptimization-${width}`);
  }
  expect(complaints).toEqual([]);
});

test('a run that is opened over a slow line shows nothing that is not so', async ({ page }) => {
  await page.routeWebSocket(/socket/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => server.send(message));
    server.onMessage((message) => void setTimeout(() => socket.send(message), 300));
  });
  /** Every text that was ever on the page, each behind the name of the run that it was shown for. */
  await page.addInitScript(() => {
    const texts = new Set<string>();
    Object.assign(window, { textsShown: texts });
    new MutationObserver(() => {
      const name = document.querySelector<HTMLInputElement>('[aria-label="Run name"]')?.value ?? '';
      for (const part of document.querySelectorAll<HTMLElement>('main, .facts'))
        texts.add(`${name}: ${part.innerText}`);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await page.goto(workbench.url);
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  const shown = (name: string) =>
    page.evaluate((of) => {
      const { textsShown } = window as unknown as { textsShown: Set<string> };
      return [...textsShown].filter((text) => text.startsWith(`${of}: `)).join('\n');
    }, name);
  for (const name of ['verified', 'judge', 'hacked']) {
    await expect(row(page, name)).toBeVisible();
    await row(page, name).click();
    await expect(page.getByLabel('Run name')).toHaveValue(name);
    await expect(main(page).getByRole('img', { name: /^loss/ })).toBeVisible();
    await expect(page.getByText(/^step \d+, final/)).toBeVisible();
    const texts = await shown(name);
    expect(texts, 'what is waited for is said').toContain('Reading');
    expect(texts).not.toMatch(
      /Curves appear|deleted|No such run|None yet|None\.|No evaluation|ended before|No matching|not a number/,
    );
    if (name === 'judge') expect(texts).not.toContain('Label its answers');
    else expect(texts, 'the first frame has the result').toMatch(/pass@1/);
  }
});
