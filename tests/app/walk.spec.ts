import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, decide, importPath, look, openAdvanced, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.start());
test.afterAll(() => workbench.remove());

/** Sums with a right, a wrong and a rambling answer, in the format of the built-in arithmetic world. */
function sums(): string {
  const rows = Array.from({ length: 16 }, (_, i) => [1 + (i % 8), 2 + Math.floor(i / 2)]).flatMap(
    ([a, b]) => [
      { prompt: `${a}+${b}=?`, answer: `${a}+${b}=${a + b}\n#${a + b}`, correct: true },
      { prompt: `${a}+${b}=?`, answer: `${a}+${b}=${a + b + 1}\n#${a + b + 1}`, correct: false },
    ],
  );
  return rows.map((row) => JSON.stringify(row)).join('\n');
}

const set = (page: Page, label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);

async function openFolded(page: Page, title: string): Promise<void> {
  await page.locator('summary', { hasText: title }).click();
}

/** Presses Launch and waits until the run is shown as done. */
async function launch(page: Page, name: string): Promise<void> {
  await set(page, 'Name of the run', name);
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await expect(page.getByLabel('Run name')).toHaveValue(name);
}
const done = (page: Page) =>
  expect(page.getByRole('main').locator('.state.done')).toBeVisible({ timeout: 120_000 });

test('the whole loop: import, label, train a reward model, optimise against it, compare', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);

  await test.step('create a workspace', async () => {
    await look(page, 'welcome');
    await page.getByLabel('New folder').fill(join(workbench.folder, 'first'));
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await atHome(page);
    expect(new URL(page.url()).hash, 'the token is removed from the address').not.toContain('token');
  });

  await test.step('import a small file', async () => {
    const path = join(workbench.folder, 'sums.jsonl');
    writeFileSync(path, sums());
    await importPath(page, path);
    await expect(page.getByRole('tab', { name: 'Doctor' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('row', { name: /^Marked right .*: 16$/ })).toBeVisible();
    await look(page, 'datasets-doctor');
    await page.getByRole('tab', { name: /Rows/ }).click();
    await page.getByRole('listbox', { name: 'Rows' }).focus();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByText('2 answers')).toBeVisible();
    await page.getByLabel('Search rows').fill('8+9');
    await expect(page.getByText('2 rows')).toBeVisible();
    await look(page, 'datasets-rows');
  });

  await test.step('label ten pairs by keyboard, with an undo', async () => {
    await page.getByRole('link', { name: 'Label pairs' }).click();
    await look(page, 'label-sets');
    await page.getByRole('button', { name: 'Create pairs' }).click();
    await expect(page.getByText('0 / 16')).toBeVisible();
    for (let pair = 0; pair < 10; pair++) {
      const left = await page.getByRole('region', { name: 'Text of the left answer' }).innerText();
      const [, a, b] = /(\d+)\+(\d+)=/.exec(left) ?? [];
      await decide(page, left.endsWith(`#${Number(a) + Number(b)}`) ? 'ArrowLeft' : '2');
      await expect(page.getByText(`${pair + 1} / 16`)).toBeVisible();
    }
    await page.keyboard.press('d');
    await expect(page.locator('mark').first()).toBeVisible();
    await look(page, 'label');
    const shown = await page.getByRole('region', { name: 'Prompt' }).innerText();
    await page.keyboard.press('u');
    await expect(page.getByText('9 / 16')).toBeVisible();
    expect(await page.getByRole('region', { name: 'Prompt' }).innerText()).not.toBe(shown);
    await decide(page, 't');
    await expect(page.getByText('10 / 16')).toBeVisible();
    expect(
      await page.getByRole('region', { name: 'Prompt' }).innerText(),
      'the pair shown before the undo is next again',
    ).toBe(shown);
  });

  await test.step('train a base policy from the form, and watch it', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await expect(page.getByText('No runs yet').first()).toBeVisible();
    await page.getByRole('link', { name: 'Train a base policy' }).click();
    await openAdvanced(page);
    await set(page, 'Steps', '60');
    await set(page, 'Width', '32');
    await set(page, 'Layers', '2');
    await openFolded(page, 'Evaluation');
    await set(page, 'Problems', '20');
    await set(page, 'Samples', '2');
    await look(page, 'launch');
    await set(page, 'Batch', '0');
    await expect(page.getByText('must be at least 1').first()).toBeVisible();
    await set(page, 'Batch', '16');
    await launch(page, 'base');
    await done(page);
    await expect(page.getByRole('img', { name: /^loss/ }).first()).toBeVisible();
    await look(page, 'run');
  });

  await test.step('train a reward model on the labels, and inspect it', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page
      .getByRole('link', { name: /Pairs of|sums/ })
      .first()
      .click();
    await openAdvanced(page);
    await expect(page.getByRole('radio', { name: /Bradley–Terry reward model/ })).toBeChecked();
    await set(page, 'Held-out share', '0.4');
    await launch(page, 'judge');
    await done(page);
    await page.getByRole('link', { name: 'Inspect' }).first().click();
    await expect(page.getByText('Longest answer wins')).toBeVisible();
    const score = page
      .getByRole('region', { name: 'Live scorer' })
      .or(page.locator('.scorer'))
      .getByRole('status')
      .first();
    await expect(score).toContainText(/\d/);
    const before = await score.innerText();
    await page.getByLabel('Answer', { exact: true }).fill('1+2=3\n#3');
    await expect(score).not.toHaveText(before);
    await look(page, 'rewards');
  });

  await test.step('launch GRPO against it, and watch', async () => {
    await page.getByRole('link', { name: 'Use it as a reward' }).click();
    await openAdvanced(page);
    await page.getByLabel('Find a method').fill('2402.03300');
    await page.getByRole('radio', { name: /Group Relative/ }).check();
    await set(page, 'Group size', '4');
    await set(page, 'Steps', '4');
    await set(page, 'Batch', '4');
    await openFolded(page, 'Evaluation');
    await set(page, 'Problems', '20');
    await set(page, 'Samples', '2');
    await launch(page, 'sharpened');
    await done(page);
    await page.getByRole('tab', { name: 'Samples' }).click();
    await expect(page.getByRole('listbox', { name: 'Answers' }).getByRole('option').first()).toBeVisible();
    await look(page, 'run-samples');
    await page.getByRole('tab', { name: 'Re-score' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByLabel('Scorer', { exact: true }).last().selectOption('length');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('heading', { name: /Largest changes/ })).toBeVisible();
    await look(page, 'run-rescore');
    await page.getByRole('tab', { name: 'Results' }).click();
    await expect(page.getByRole('columnheader', { name: 'pass@1' })).toBeVisible();
    await page.getByLabel('Add a tag').fill('tried');
    await page.getByLabel('Add a tag').press('Enter');
    await expect(page.getByRole('button', { name: 'Remove tag tried' })).toBeVisible();
  });

  await test.step('compare', async () => {
    await page.getByRole('main').getByRole('link', { name: 'Compare', exact: true }).click();
    await page.getByRole('checkbox', { name: 'base' }).check();
    await expect(page.getByRole('row', { name: /sharpened/ }).first()).toBeVisible();
    await expect(page.getByRole('row', { name: /^base \.\d+ \[\.\d+, \.\d+\]/ })).toBeVisible();
    await look(page, 'compare');
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await expect(page.getByRole('rowheader', { name: 'method.id' })).toBeVisible();
    await page.getByRole('tab', { name: 'Side by side' }).click();
    await expect(page.locator('article').first()).toBeVisible();
    await page.getByRole('tab', { name: 'Results' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the report' }).click();
    expect((await download).suggestedFilename()).toBe('comparison.html');
  });

  await test.step('every address opens its view', async () => {
    const address = page.url();
    await page.reload();
    await expect(page.getByRole('row', { name: /sharpened/ }).first()).toBeVisible();
    expect(page.url()).toBe(address);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).fill('base');
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('Run name')).toHaveValue('base');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    const cpu = page
      .getByRole('listitem')
      .filter({ hasText: 'CPU' })
      .filter({ has: page.getByRole('button', { name: 'Check CPU' }) });
    await expect(cpu.getByText('✓ works')).toBeVisible();
    await expect(cpu.getByText(/thread/)).toBeVisible();
    await look(page, 'settings');
  });

  await test.step('the atlas: a method with its recipe and a toy run on this machine, and a world', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await expect(page.getByRole('link', { name: /Direct Preference/ })).toBeVisible();
    await page.keyboard.press('/');
    await page.keyboard.type('2305.18290');
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('heading', { name: 'Direct Preference Optimization' })).toBeVisible();
    await page.getByRole('button', { name: /^logpUnder/ }).click();
    await expect(page.getByText('Adds logp/initial.')).toBeVisible();
    await page.getByRole('button', { name: 'Run it here' }).click();
    await expect(page.getByRole('row', { name: /reached.*this machine/ })).toBeVisible({ timeout: 60_000 });
    await look(page, 'methods');
    await page.getByLabel('Find a method or a world').fill('key and door');
    await page.getByRole('link', { name: /Key and door/ }).click();
    await page.getByLabel('Split').selectOption('heldout');
    await page.getByLabel('Level').selectOption('3');
    await expect(page.getByText('✓ right').first()).toBeVisible();
    await look(page, 'world');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
  });

  await test.step('the self-test passes, and can be stopped', async () => {
    await page.getByRole('link', { name: 'Self-test' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(page.getByRole('cell', { name: '✓ yes' }).first()).toBeVisible({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(page.getByText(/matched on CPU/)).toBeVisible();
    await look(page, 'self-test');
  });

  expect(complaints).toEqual([]);
});
