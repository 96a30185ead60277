import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import Database from 'better-sqlite3';
import { chromium, noChromium } from '../run/chromium.ts';
import { importPath, look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);
test.describe.configure({ mode: 'serial' });

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

const set = (page: Page, label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
const unfold = (page: Page, title: string) => page.locator('summary', { hasText: title }).click();
const launchButton = (page: Page) => page.getByRole('button', { name: 'Launch', exact: true });

test('a form launches exactly the values in its fields, or nothing', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.goto(`${workbench.url.split('#')[0]}#/runs/new?method=sft&world=toy%2Fcopy`);
  await openAdvanced(page);
  for (const [label, value] of [
    ['Width', '16'],
    ['Layers', '1'],
    ['Heads', '2'],
    ['Steps', 'abc'],
    ['Batch', '-3'],
    ['Name of the run', 'base'],
  ])
    await set(page, label, value);
  await set(page, 'Learning rate', '0,0003');
  const problems = page.getByRole('status').filter({ hasText: 'invalid' });
  await expect(problems).toContainText('3 fields are invalid.');
  await expect(problems).toContainText('“0,0003” is not a number: use a point for decimals');
  await expect(launchButton(page)).toBeDisabled();
  await look(page, 'form-problems');
  await page.getByLabel('Name of the run').press('Enter');
  await expect(page.getByLabel('Steps', { exact: true })).toBeFocused();
  await launchButton(page).dispatchEvent('click');
  await expect(page.getByRole('heading', { name: 'Launch a run' })).toBeVisible();
  await problems.getByRole('button', { name: 'Learning rate' }).click();
  await expect(page.getByLabel('Learning rate', { exact: true })).toBeFocused();

  for (const [label, value] of [
    ['Steps', '2'],
    ['Batch', '4'],
    ['Learning rate', '3e-4'],
  ])
    await set(page, label, value);
  await expect(problems).toHaveCount(0);
  await unfold(page, 'Evaluation');
  await set(page, 'Problems', '2');
  await set(page, 'Samples', '2');
  await launchButton(page).dblclick();
  await expect(page.getByLabel('Run name')).toHaveValue('base');
  await expect(page.getByRole('main').locator('.state.done')).toBeVisible({ timeout: 120_000 });
  await page.getByRole('link', { name: 'Copy', exact: true }).click();
  await expect(page.getByLabel('Steps', { exact: true })).toHaveValue('2');
  await expect(page.getByLabel('Batch', { exact: true })).toHaveValue('4');
  await expect(page.locator('[data-field="optimizer.learningRate"] input')).toHaveValue('0.0003');
  await page.getByRole('link', { name: 'Runs' }).first().click();
  await expect(page.getByRole('complementary').getByRole('listitem')).toHaveCount(1);
  expect(complaints).toEqual([]);
});

/** Two prose answers to a question, with characters outside the alphabet of every world. */
const prose = (i: number) =>
  [
    `It depends upon the orchard: in year ${i} the frost came late; wait, prune, and only then water the trees. `,
    'Never mind, pears look after themselves! ',
  ].map((answer, right) =>
    JSON.stringify({
      prompt: `Dear gardener no. ${i}, how should one look after “Williams” pears?`,
      completion: answer.repeat(2),
      label: right === 0,
    }),
  );

/** The keys of the decisions on disk, in the order in which they were made. */
async function sidesOnDisk(page: Page): Promise<string[]> {
  const setId = new URL(page.url()).hash.split('/')[2];
  const db = new Database(join(workbench.folder, 'first', 'workspace.db'), { readonly: true });
  try {
    const rows = db
      .prepare<[string], { verdict: string; side: number; position: number }>(
        'select e.verdict, e.verdict = p.left_is as side, p.position from label_events e ' +
          'join pairs p on p.id = e.pair_id where e.set_id = ? order by e.sequence',
      )
      .all(setId);
    expect(rows.map(({ position }) => position)).toEqual(rows.map((_row, i) => i));
    const keys: Readonly<Record<string, string>> = { tie: 't', 'both-bad': 'b', skip: 's' };
    return rows.map(({ verdict, side }) => keys[verdict] ?? (side ? 'ArrowLeft' : '2'));
  } finally {
    db.close();
  }
}

test('trains a judge on labels of prose with the defaults of the form; takes every labeling key', async ({
  page,
}) => {
  const complaints = await watch(page);
  const path = join(workbench.folder, 'pears.jsonl');
  writeFileSync(path, Array.from({ length: 30 }, (_, i) => prose(i).join('\n')).join('\n'));
  await page.goto(workbench.url);
  await importPath(page, path);
  await page.getByRole('link', { name: 'Label pairs' }).first().click();
  await expect(page.getByLabel('Source').locator('option:checked')).toHaveText('pears');
  await set(page, 'Seed', '1,5');
  await expect(page.getByText(/“1,5” is not a number/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create pairs' })).toBeDisabled();
  await look(page, 'pairing-problem');
  await set(page, 'Seed', '1');
  await page.getByRole('button', { name: 'Create pairs' }).click();
  await expect(page.getByText('0 / 30')).toBeVisible();

  // 25 keys without a pause are 25 decisions, in order
  const keys = Array.from(
    { length: 25 },
    (_, i) => ['ArrowLeft', '2', 't', 'b', 's'][(i * 7 + (i >> 2)) % 5],
  );
  await page.evaluate((pressed) => {
    for (const key of pressed)
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true }),
      );
  }, keys);
  await expect(page.getByText('25 / 30')).toBeVisible();
  expect(await sidesOnDisk(page)).toEqual(keys);
  await look(page, 'keys-without-a-pause');
  // a held key decides one pair
  await page.keyboard.down('ArrowLeft');
  for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down('ArrowLeft');
  await page.keyboard.up('ArrowLeft');
  await expect(page.locator('.notice')).toContainText('held down');
  await expect(page.getByText('26 / 30')).toBeVisible();
  for (const key of ['1', '1', 'u', 't', '2', '2', '1']) await page.keyboard.press(key);
  await expect(page.getByRole('heading', { name: 'Every pair is labeled' })).toBeVisible();

  await page.getByRole('link', { name: 'Train a reward model' }).click();
  await openAdvanced(page);
  await expect(page.getByLabel('Policy', { exact: true })).toHaveValue('new');
  await expect(page.getByLabel('Tokenizer', { exact: true })).toHaveValue('bytes');
  await expect(page.getByLabel('Context', { exact: true })).toHaveValue('512');
  await expect(page.getByLabel('Trunk', { exact: true })).toHaveValue('trained');
  await look(page, 'labels-start');
  for (const [label, value] of [
    ['Width', '16'],
    ['Layers', '1'],
    ['Heads', '2'],
    ['Steps', '2'],
    ['Batch', '4'],
    ['Name of the run', 'judge'],
  ])
    await set(page, label, value);
  await launchButton(page).click();
  await expect(page.getByLabel('Run name')).toHaveValue('judge');
  await expect(page.getByRole('main').locator('.state.done')).toBeVisible({ timeout: 120_000 });
  expect(complaints).toEqual([]);
});
