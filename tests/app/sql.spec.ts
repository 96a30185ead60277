import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const count = 500;
const workbench = new Workbench();
test.beforeAll(async () => {
  const path = join(workbench.folder, 'questions.jsonl');
  const lines = Array.from({ length: count }, (_none, i) =>
    JSON.stringify({
      prompt: `Frage ${i >> 1}, “two”?`,
      answer: `answer ${'x'.repeat(i % 7)}`,
      'two words': i % 3,
      topic: ['art', 'maths'][i % 2],
      correct: i % 2 === 0,
    }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
  await workbench.command('import', path);
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

const status = (page: Page, text: string | RegExp) =>
  expect(page.getByRole('status').filter({ hasText: text }).first()).toBeVisible();

/** Moves from a dataset's first tab to its tab SQL, by keyboard. */
async function toSql(page: Page): Promise<void> {
  const sql = page.getByRole('tab', { name: 'SQL' });
  await page.getByRole('tab', { name: /Rows/ }).focus();
  for (let left = await page.getByRole('tab').count(); left > 0; left -= 1) {
    await page.keyboard.press('ArrowRight');
    if ((await sql.getAttribute('aria-selected')) === 'true') return;
  }
  throw new Error('The arrow keys do not reach the tab SQL.');
}

/** Opens the dataset's tab SQL, from the screen before, by keyboard. */
async function opened(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await expect(page.getByText('Engine idle')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page
    .getByRole('list', { name: 'Datasets' })
    .getByRole('link', { name: /questions/ })
    .focus();
  await page.keyboard.press('Enter');
  await toSql(page);
}

/** Replaces the statement by typing, and runs it. */
async function run(page: Page, statement: string): Promise<void> {
  await page.getByLabel('SQL statement').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(statement);
  await page.keyboard.press('Control+Enter');
}

const cells = (page: Page) => page.getByRole('region', { name: 'Result' }).getByRole('cell');

test('statements are run, cancelled and kept, and their rows shown, by keyboard alone', async ({ page }) => {
  const complaints = await watch(page);
  await opened(page);
  const examples = page.getByRole('list', { name: 'Examples' }).getByRole('button');
  await expect(examples).toHaveCount(3);
  await look(page, 'sql-empty');
  const statements = await examples.allTextContents();
  for (const [at, statement] of statements.entries()) {
    // the examples go once there is a result
    if (at === 0) {
      await examples.first().focus();
      await page.keyboard.press('Enter');
      await expect(page.getByLabel('SQL statement')).toBeFocused();
      await page.keyboard.press('Control+Enter');
    } else await run(page, statement);
    await status(page, /\d rows? ·/);
  }

  await run(page, 'select topic, count(*) as n, null as none from rows where  group by topic order by topic');
  await expect(page.getByRole('alert')).toContainText('near "group": syntax error');
  await look(page, 'sql-fault');
  const field = page.getByLabel('SQL statement');
  for (let left = 0; left < ' group by topic order by topic'.length; left += 1)
    await page.keyboard.press('ArrowLeft');
  await page.getByRole('button', { name: '"two words"' }).focus();
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  await page.keyboard.type(' = 1');
  await page.keyboard.press('Control+Enter');
  await status(page, '2 rows ·');
  await expect(cells(page)).toHaveText(['art', '83', 'null', 'maths', '84', 'null']);
  await look(page, 'sql-result');

  await run(page, 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c');
  await status(page, 'Running…');
  await page.keyboard.press('Escape');
  await expect(page.getByText('Running…')).toBeHidden();
  await expect(cells(page).first()).toHaveText('art');

  await run(page, 'select row, answer from rows where row in (1, 2, 3, 7) order by row desc');
  await status(page, '4 rows ·');
  await page.getByRole('button', { name: 'Show these rows' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Search rows')).toHaveValue(
    '(row:1..3 OR row=7) (is:included OR is:excluded)',
  );
  await status(page, '4 rows');

  await toSql(page);
  await expect(cells(page).first()).toHaveText('7');
  await page.getByText('Last statements').focus();
  await page.keyboard.press('Enter');
  const last = page.getByRole('list', { name: 'Last statements' }).getByRole('button');
  await last.nth(1).focus();
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue(/^with recursive/);
  expect(complaints).toEqual([]);
});

test('a long result is shown in parts and saved whole, and statements outlive the page', async ({ page }) => {
  await opened(page);
  await run(page, 'select row, prompt, note from rows order by row');
  await status(page, '500 rows ·');
  await expect(cells(page)).toHaveCount(3 * 200);
  await page.getByRole('button', { name: 'Show 200 more of 500 rows' }).focus();
  await page.keyboard.press('Enter');
  await expect(cells(page)).toHaveCount(3 * 400);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).focus();
  await page.keyboard.press('Enter');
  const stream = await (await saved).createReadStream();
  let text = '';
  for await (const part of stream) text += String(part);
  expect(text.split('\r\n')).toHaveLength(count + 2);
  expect(text.split('\r\n')[1]).toBe('0,"Frage 0, “two”?",');
  await page.waitForTimeout(500);
  await opened(page);
  await expect(page.getByLabel('SQL statement')).toHaveValue(
    'select row, prompt, note from rows order by row',
  );
});
