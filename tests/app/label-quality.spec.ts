import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, decide, importPath, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);
test.describe.configure({ mode: 'serial' });

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

const PAIRS = 24;
const rows = Array.from({ length: PAIRS }, (_none, i) =>
  [true, false].map((correct) => ({
    prompt: `How much is ${i} + ${i}?`,
    completion: correct ? `It is ${2 * i}.` : `It is ${2 * i + 1}.`,
    correct,
  })),
).flat();

const prompt = (page: Page) => page.getByRole('region', { name: 'Prompt' });
const openSets = async (page: Page): Promise<void> => {
  await page.goto(workbench.url);
  await atHome(page);
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await expect(page.getByRole('link', { name: 'Quality' })).toBeVisible();
};
const openQuality = async (page: Page): Promise<void> => {
  await openSets(page);
  await page.getByRole('link', { name: 'Quality' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Measure and use trust' })).toBeVisible();
};

/** Decides items by a key until nothing is left; returns the prompts in their order. */
async function labelToTheEnd(page: Page, key: string): Promise<string[]> {
  const prompts: string[] = [];
  const ending = page.getByRole('heading', {
    name: /Every pair is labeled|Nothing is left for you|No dispute is left/,
  });
  for (;;) {
    await expect(prompt(page).or(ending).first()).toBeVisible();
    if (await ending.isVisible()) return prompts;
    prompts.push((await prompt(page).textContent()) ?? '');
    const before = await page.locator('footer .done').textContent();
    await decide(page, key);
    await expect(page.locator('footer .done').or(ending).first()).not.toHaveText(before ?? '');
  }
}

test('a set without labels says what to do; shares, overlap and gold are chosen by keyboard', async ({
  page,
}) => {
  const complaints = await watch(page);
  const path = join(workbench.folder, 'sums.jsonl');
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  await page.goto(workbench.url);
  await importPath(page, path);
  await page.getByRole('link', { name: 'Label pairs' }).first().click();
  await page.getByRole('button', { name: 'Create pairs' }).click();
  await expect(prompt(page)).toBeVisible();
  await openQuality(page);
  await expect(page.getByRole('heading', { name: 'No labels yet' })).toBeVisible();
  await look(page, 'label-quality-empty');
  await page.getByLabel('Hidden repeats (%)').fill('30');
  await page.getByLabel('Repeated after (items)').fill('3');
  await page.getByLabel('Gold items (%)').fill('20');
  await page.getByLabel('Labelers per item').fill('2');
  await page.getByLabel('Labelers per item').press('Enter');
  await expect(page.getByText('Options saved.')).toBeVisible();
  await page.getByRole('button', { name: 'Use marks as gold' }).press('Enter');
  await expect(page.getByText(`${PAIRS} pairs of a right and a wrong answer are gold now.`)).toBeVisible();
  await page.getByRole('button', { name: 'Item 1 is no gold' }).press('Enter');
  await expect(page.getByText(`${PAIRS - 1} items with a known verdict`)).toBeVisible();
  expect(complaints).toEqual([]);
});

test('repeats come up unnoticed: nothing that reaches the page tells them from new items', async ({
  page,
}) => {
  const received: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => received.push(payload.toString('latin1'))),
  );
  await openSets(page);
  await page.getByRole('link', { name: 'Label', exact: true }).last().press('Enter');
  await expect(prompt(page)).toBeVisible();
  const prompts = await labelToTheEnd(page, '1');
  expect(new Set(prompts).size).toBe(PAIRS);
  expect(prompts.length).toBeGreaterThan(PAIRS + 3);
  const told = received.filter((text) => text.includes('How much is') && /repeat|gold|role/i.test(text));
  expect(told).toEqual([]);
  await expect(page.getByText(`${prompts.length} decisions`)).toBeVisible();
});

test('a second labeler, then the disputes: adjudicated blind, by keyboard, with undo', async ({ page }) => {
  const complaints = await watch(page);
  await openSets(page);
  await page.getByRole('link', { name: 'Continue' }).press('Enter');
  await expect(page.getByRole('heading', { name: /Nothing is left|Every pair is labeled/ })).toBeVisible();
  await page.keyboard.press('n');
  await page.keyboard.type('Ann');
  await page.keyboard.press('Enter');
  await expect(prompt(page)).toBeVisible();
  await decide(page, '1');
  await labelToTheEnd(page, '2');
  await page.getByRole('link', { name: 'Quality of the labels' }).press('Enter');
  await expect(page.getByRole('region', { name: 'Agreement between labelers' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Labelers', exact: true }).getByRole('row')).toHaveCount(3);
  await look(page, 'label-quality');
  await page.getByRole('link', { name: /^Settle \d+ disputes$/ }).press('Enter');
  await expect(page.getByText('Adjudication: labelers disagree on these items.')).toBeVisible();
  await look(page, 'label-adjudicate');
  await decide(page, '1');
  await expect(page.locator('footer .done')).toHaveText(/^1 \/ /);
  await page.keyboard.press('u');
  await expect(page.locator('footer .done')).toHaveText(/^0 \/ /);
  const settled = await labelToTheEnd(page, 't');
  expect(settled.length).toBeGreaterThan(10);
  await page.getByRole('link', { name: 'Review the adjudications' }).press('Enter');
  await expect(page.getByText('settled: tie (Ann)').first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('every number opens its items; a decision of the review becomes gold', async ({ page }) => {
  await openQuality(page);
  const me = page
    .getByRole('region', { name: 'Labelers', exact: true })
    .getByRole('row')
    .filter({ hasText: 'me' });
  await me.getByTitle(/repeats; opens those decided otherwise/).press('Enter');
  await expect(page.getByLabel('Quality', { exact: true })).toHaveValue('changed');
  await expect(page.getByText(/^again: right/).first()).toBeVisible();
  await look(page, 'label-review-quality');
  await page.getByLabel('Quality', { exact: true }).selectOption('other than gold');
  const marks = page.getByRole('button', { name: /^Mark item \d+ as gold$/ });
  // each decision other than gold can become gold, but not each of those listed before
  const entries = page.getByRole('link', { name: /^Open item/ });
  await expect(async () => expect(await marks.count()).toBe(await entries.count())).toPass();
  const before = await marks.count();
  expect(before).toBeGreaterThan(0);
  await marks.first().press('Enter');
  await expect(marks).toHaveCount(before - 1);
});
