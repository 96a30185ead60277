import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { atHome, decide, importPath, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);
test.describe.configure({ mode: 'serial' });

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

/** Rows with texts in Markdown and TeX. `model` and `source` say which model wrote an answer. */
const rows = Array.from({ length: 12 }, (_none, i) => [
  {
    prompt: `Question ${i}: how **long** is the hypotenuse?`,
    completion: `It is $\\sqrt{a^2 + b^2}$, number ${i}.\n\n| a | b |\n|---|---|\n| 3 | 4 |\n\n\`\`\`py\nprint(${i})\n\`\`\``,
    reference: `reference ${i}`,
    model: 'MODEL-ALPHA',
    source: 'SOURCE-ALPHA',
  },
  {
    prompt: `Question ${i}: how **long** is the hypotenuse?`,
    completion: `<img src=x onerror="document.title='broken'"> About ${i}. \\href{https://x.invalid}{no}`,
    reference: `reference ${i}`,
    model: 'MODEL-BETA',
    source: 'SOURCE-BETA',
  },
]).flat();

const prompt = (page: Page) => page.getByRole('region', { name: 'Prompt' });
const setOf = (page: Page): string => new URL(page.url()).hash.split(/[/?]/)[2];

test('the loop by keyboard only: verdict, strength, reasons, flag, critique, reference, raw text, undo, redo', async ({
  page,
}) => {
  const complaints = await watch(page);
  const path = join(workbench.folder, 'answers.jsonl');
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  await page.goto(workbench.url);
  await importPath(page, path);
  await page.getByRole('link', { name: 'Label pairs' }).first().click();
  await page.getByRole('button', { name: 'Create pairs' }).click();
  await expect(page.getByText('0 / 12')).toBeVisible();
  const left = page.getByRole('region', { name: 'Text of the left answer' });
  await expect(prompt(page).locator('strong')).toHaveText('long');
  await expect(page.locator('math').first()).toBeVisible();
  await expect(page.getByRole('cell', { name: '3' }).first()).toBeVisible();
  await expect(page.getByText('<img src=x').first()).toBeVisible();
  await look(page, 'label-rendered');

  await page.keyboard.press('r');
  await expect(prompt(page)).toContainText('**long**');
  await page.keyboard.press('r');
  await page.keyboard.press('3');
  await expect(page.getByRole('button', { name: /more correct/ })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('x');
  await page.keyboard.press('v');
  await expect(page.getByRole('region', { name: 'Reference answer' })).toContainText('reference');
  await page.keyboard.press('c');
  await page.keyboard.type('2 of 3 steps; b is right');
  await page.keyboard.press('Enter');
  await expect(page.getByText('“2 of 3 steps; b is right”')).toBeVisible();
  await look(page, 'label-details');
  await page.keyboard.press('Shift+ArrowLeft');
  await expect(page.getByText('1 / 12')).toBeVisible();
  await expect(page.getByRole('button', { name: /more correct/ })).toHaveAttribute('aria-pressed', 'false');
  for (const key of ['2', 't', 'u', 'u', 'y', 'y', 'u']) await page.keyboard.press(key);
  await expect(page.getByText('2 / 12')).toBeVisible();
  await page.keyboard.press('i');
  const guidelines = page.getByRole('complementary', { name: 'Guidelines' });
  await guidelines.getByRole('button', { name: 'Edit' }).press('Enter');
  await page.keyboard.type('Prefer **short** answers.');
  await guidelines.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(guidelines.locator('strong')).toHaveText('short');
  await look(page, 'label-guidelines');
  await page.setViewportSize({ width: 1000, height: 700 });
  await look(page, 'label-guidelines-narrow');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('i');
  await expect(guidelines).toHaveCount(0);
  await expect(left).toBeVisible();
  expect(complaints).toEqual([]);
});

test('the review filters the decisions and opens each again', async ({ page }) => {
  await page.goto(workbench.url);
  await atHome(page);
  await page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: 'Label', exact: true })
    .click();
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByRole('link', { name: '2 / 12' }).press('Enter');
  await expect(page.getByText('2 decisions')).toBeVisible();
  await look(page, 'label-review');
  await page.getByLabel('Strength').selectOption('much better');
  await expect(page.getByText('1 decision', { exact: true })).toBeVisible();
  await page.getByLabel('Strength').selectOption('any strength');
  await page.getByLabel('Text').fill('B IS RIGHT');
  await expect(page.getByText('1 decision', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: /^Open item/ }).press('Enter');
  await expect(page.getByText('“2 of 3 steps; b is right”')).toBeVisible();
  await expect(page.getByRole('button', { name: /more correct/ })).toHaveAttribute('aria-pressed', 'true');
  await decide(page, 'b');
  await expect(page.getByRole('button', { name: /^Reopen: both bad/ })).toBeVisible();
  await expect(page.getByText('2 / 12')).toBeVisible();
});

test('keys can be replaced, but not by one that has a meaning; several people label under their names', async ({
  page,
}) => {
  await page.goto(workbench.url);
  await atHome(page);
  await page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: 'Label', exact: true })
    .click();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(prompt(page)).toBeVisible();
  await page.getByRole('button', { name: '? keys' }).press('Enter');
  const tie = page.getByRole('button', { name: /^Key of “Tie”/ });
  await tie.press('Enter');
  await page.keyboard.press('b');
  await expect(page.getByText('“b” already means “Both bad”')).toBeVisible();
  await tie.press('Enter');
  await page.keyboard.press('q');
  await expect(tie).toContainText('q');
  await look(page, 'label-keys');
  await decide(page, 'q');
  await expect(page.getByText('3 / 12')).toBeVisible();
  await page.getByRole('button', { name: 'Reset all keys' }).press('Enter');
  await expect(tie).toContainText('t');

  await page.keyboard.press('n');
  await page.keyboard.type('Ann');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'n Ann' })).toBeVisible();
  await decide(page, '1');
  await expect(page.getByText('4 / 12')).toBeVisible();
  await page.keyboard.press('u');
  await expect(page.getByText('3 / 12')).toBeVisible();
  await page.keyboard.press('u');
  await page.keyboard.press('1');
  await expect(page.getByText('4 / 12')).toBeVisible();
});

test('nothing that reaches the page says who wrote an answer', async ({ page }) => {
  const received: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => received.push(payload.toString('latin1'))),
  );
  page.on(
    'response',
    (response) =>
      void response
        .text()
        .then((text) => received.push(text))
        .catch(() => ''),
  );
  await page.goto(workbench.url);
  await atHome(page);
  await page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: 'Label', exact: true })
    .click();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(prompt(page)).toBeVisible();
  const setId = setOf(page);
  received.length = 0;
  await page.reload();
  await expect(prompt(page)).toBeVisible();
  const [before] = [await page.locator('footer .done').textContent()];
  for (const key of ['1', 't', 'u', 'v', '2', 'y']) await page.keyboard.press(key);
  await expect(page.locator('footer .done')).not.toHaveText(before ?? '');
  const all = [...received, await page.content()].join('\n');
  expect(all).toContain('hypotenuse');
  expect(all).toContain(setId);
  for (const word of ['MODEL-', 'SOURCE-', 'leftIs', 'left_is', 'origin', 'correctA'])
    expect(received.filter((text) => text.includes('hypotenuse') && text.includes(word))).toEqual([]);
  expect(all).not.toMatch(/MODEL-(ALPHA|BETA)|SOURCE-(ALPHA|BETA)/);
});

/** Creates a set of a mode from the first dataset and opens it. */
async function createSet(page: Page, mode: RegExp): Promise<void> {
  await page.goto(workbench.url);
  await atHome(page);
  const screens = page.getByRole('navigation', { name: 'Screens' });
  await screens.getByRole('link', { name: 'Label', exact: true }).click();
  await page.getByLabel('Source').selectOption({ label: 'answers' });
  const options = await page.getByRole('combobox', { name: /^Mode/ }).locator('option').allTextContents();
  await page
    .getByRole('combobox', { name: /^Mode/ })
    .selectOption({ label: options.find((each) => mode.test(each)) ?? '' });
  await page.getByRole('button', { name: 'Create items' }).press('Enter');
  await expect(prompt(page)).toBeVisible();
}

test('ranking, rating and rewriting by keyboard become preferences', async ({ page }) => {
  const complaints = await watch(page);
  await createSet(page, /^Ranking/);
  await page.keyboard.press('2');
  await expect(page.getByRole('button', { name: 'rank 1' })).toBeVisible();
  await look(page, 'label-ranking');
  await page.keyboard.press('1');
  await expect(page.getByText('1 / 12')).toBeVisible();
  await page.keyboard.press('1');
  await page.keyboard.press('Shift+Digit2');
  await expect(page.getByText('2 / 12')).toBeVisible();
  const ranked = setOf(page);

  await createSet(page, /^Rating/);
  await page.keyboard.press('4');
  await expect(page.getByRole('button', { name: 'helpfulness: 4 of 5' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await look(page, 'label-rating');
  await page.keyboard.press('2');
  await expect(page.getByText('1 / 24')).toBeVisible();
  await page.keyboard.press('u');
  await expect(page.getByText('0 / 24')).toBeVisible();

  await createSet(page, /^Rewriting/);
  await page.keyboard.press('e');
  await expect(page.getByLabel('Rewritten answer').first()).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('A better answer.');
  await look(page, 'label-rewrite');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('1 / 24')).toBeVisible();
  const rewritten = setOf(page);

  for (const [id, expected] of [
    [ranked, 1],
    [rewritten, 1],
  ] as const) {
    const { total, verdicts } = await exported(page, id);
    expect([total, verdicts]).toEqual([expected, 'preferred']);
  }
  expect(complaints).toEqual([]);
});

/** The preferences that a set exports, by the command line. */
async function exported(page: Page, setId: string): Promise<{ total: number; verdicts: string }> {
  await page.goto('about:blank');
  const path = join(workbench.folder, `${setId}.jsonl`);
  await workbench.stop();
  await workbench.command('label-export', path, '--set', setId);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const verdicts = lines.map((line) => (JSON.parse(line) as { verdict: string }).verdict);
  await workbench.start('--workspace', join(workbench.folder, 'first'));
  return {
    total: lines.length,
    verdicts: verdicts.every((each) => each === 'a' || each === 'b') ? 'preferred' : verdicts.join(),
  };
}
