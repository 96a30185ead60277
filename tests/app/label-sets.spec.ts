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

const topics = ['sea', 'sky'];
const rows = Array.from({ length: 40 }, (_none, i) =>
  ['short', 'a longer answer with more words'].map((kind) => ({
    prompt: `Question ${i} about the ${topics[i % 2]}?`,
    completion: `${kind}, number ${i}`,
    model: 'MODEL-SECRET',
  })),
).flat();

/** Opens the list of label sets by the rail. */
async function openList(page: Page): Promise<void> {
  await page.goto(workbench.url);
  await atHome(page);
  const screens = page.getByRole('navigation', { name: 'Screens' });
  await screens.getByRole('link', { name: 'Label', exact: true }).click();
}
const row = (page: Page) => page.getByRole('row').filter({ has: page.getByLabel('Name of team') });

test('a bulk pass by keyboard: filter, ranges, one verdict for all, undo of all', async ({ page }) => {
  const complaints = await watch(page);
  const path = join(workbench.folder, 'answers.jsonl');
  writeFileSync(path, rows.map((each) => JSON.stringify(each)).join('\n'));
  await page.goto(workbench.url);
  await importPath(page, path);
  await page.getByRole('link', { name: 'Label pairs' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('team');
  await page.getByRole('button', { name: 'Create pairs' }).press('Enter');
  await expect(page.getByText('0 / 40')).toBeVisible();
  await openList(page);
  await row(page).getByRole('link', { name: 'Bulk' }).press('Enter');
  const status = page.getByRole('search').getByRole('status');
  await expect(status).toContainText('40 items, 0 selected');
  await expect(page.getByRole('listbox', { name: 'Items' }).getByRole('option').first()).toContainText(
    'about the',
  );
  expect(await page.content()).not.toContain('MODEL-SECRET');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+J');
  await page.keyboard.press('Shift+J');
  await expect(status).toContainText('4 selected');
  await look(page, 'label-bulk');
  await page.keyboard.press('t');
  await expect(status).toContainText('36 items, 0 selected. 4 items: tie');
  await expect(page.getByText('4 of 40 labeled by you')).toBeVisible();

  await page.getByRole('searchbox').focus();
  await page.keyboard.type('the sea');
  await page.keyboard.press('Enter');
  await expect(status).toContainText(/^(1[6-9]|20) items, 0 selected/);
  await page.keyboard.press('a');
  await page.keyboard.press('1');
  await expect(status).toContainText('0 items, 0 selected');
  await page.keyboard.press('u');
  await expect(status).toContainText(/Took back \d+ of “left is better”/);
  await expect(page.getByText('4 of 40 labeled by you')).toBeVisible();
  await page.getByRole('combobox', { name: 'Items' }).selectOption('labeled by you');
  await page.getByRole('searchbox').fill('');
  await page.getByRole('searchbox').press('Enter');
  await expect(status).toContainText('4 items');
  await expect(page.getByRole('listbox', { name: 'Items' }).getByRole('option').first()).toContainText('tie');
  await page.getByRole('link', { name: 'One by one' }).press('Enter');
  await expect(page.getByText('4 / 40')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('answers of the services that come after the labeler was left do no harm', async ({ page }) => {
  const complaints = await watch(page);
  await page.routeWebSocket(/\/socket$/, (line) => {
    const services = line.connectToServer();
    services.onMessage((message) => void setTimeout(() => line.send(message), 100));
  });
  await openList(page);
  const address = await row(page).getByRole('link', { name: 'Continue' }).getAttribute('href');
  for (const stay of [0, 50, 150, 250, 320, 350, 450])
    await page.evaluate(
      async ([open, left, ms]) => {
        const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
        location.hash = open;
        await wait(ms);
        location.hash = left;
        await wait(500);
      },
      [address ?? '', '#/label', stay] as const,
    );
  await expect(row(page)).toBeVisible();
  expect(complaints).toEqual([]);
});

test('options change in the open labeler, from the palette and from the list, and say what is lost', async ({
  page,
}) => {
  const complaints = await watch(page);
  await openList(page);
  await row(page).getByRole('link', { name: 'Continue' }).press('Enter');
  await expect(page.getByText('4 / 40')).toBeVisible();
  await decide(page, '3');
  await page.keyboard.press('1');
  await expect(page.getByText('5 / 40')).toBeVisible();
  await page.keyboard.press('p');
  const pane = page.getByRole('form', { name: 'Set options' });
  await expect(pane).toBeVisible();
  await pane.getByLabel(/^Reasons/).fill('kinder');
  await expect(pane.getByText('1 decision used “more correct” (reasons).')).toBeVisible();
  await pane.getByLabel(/Cut both answers/).press('Space');
  await pane.getByLabel('Guidelines, in Markdown').fill('Be **kind**.');
  await pane.getByRole('button', { name: 'Preview' }).press('Enter');
  await expect(pane.locator('strong')).toHaveText('kind');
  await page.keyboard.press('Escape');
  await expect(pane.getByText('Your changes are not saved. Save or discard them.')).toBeVisible();
  await look(page, 'label-options');
  await pane.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(pane.getByText('Saved.')).toBeVisible();
  await expect(page.getByRole('button', { name: '3 kinder' })).toBeVisible();
  await expect(page.getByText('… cut').first()).toBeVisible();
  await pane.getByLabel('Labelers per item').fill('0');
  await expect(pane.getByRole('button', { name: 'Save' })).toBeDisabled();
  await pane.getByLabel('Labelers per item').fill('2');
  await pane.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(pane.getByText('Saved.')).toBeVisible();
  await pane.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(pane).toBeHidden();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('Set options');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('form', { name: 'Set options' }).getByLabel(/^Reasons/)).toHaveValue('kinder');
  await look(page, 'label-options-page');
  expect(complaints).toEqual([]);
});

test('labels of another tool are previewed and imported, by keyboard; again they add nothing', async ({
  page,
}) => {
  const complaints = await watch(page);
  const task = (i: number, selected: string) => ({
    data: {
      prompt: rows[2 * i].prompt,
      answer1: rows[2 * i].completion,
      answer2: rows[2 * i + 1].completion,
    },
    annotations: [
      {
        completed_by: 'zoe',
        result: [{ type: 'pairwise', to_name: 'answer1,answer2', value: { selected } }],
      },
    ],
  });
  const path = join(workbench.folder, 'tasks.json');
  const stranger = { ...task(0, 'left'), data: { prompt: 'Other?', answer1: 'x', answer2: 'y' } };
  writeFileSync(path, JSON.stringify([task(0, 'left'), task(1, 'right'), stranger]));
  await openList(page);
  await row(page).getByRole('button', { name: 'Import' }).press('Enter');
  const panel = page.getByRole('form', { name: 'Import of labels into team' });
  await expect(panel.getByLabel('File of labels')).toBeFocused();
  await page.keyboard.type(path);
  await page.keyboard.press('Enter');
  await expect(panel.getByText('2 of 3 labels can be imported. By zoe.')).toBeVisible();
  await panel.getByText('1 label without an item in this set').press('Enter');
  await expect(panel.getByText(/^Line \d+: no item of the set has this prompt/)).toBeVisible();
  await look(page, 'label-import');
  await panel.getByRole('button', { name: 'Import 2 labels' }).press('Enter');
  await expect(panel.getByText('Imported 2 labels. By zoe.')).toBeVisible();
  await panel.getByLabel('File of labels').press('Enter');
  await expect(panel.getByText('0 of 3 labels can be imported. The set already has 2.')).toBeVisible();
  await panel.getByLabel('File of labels').fill('/none/there.json');
  await page.keyboard.press('Enter');
  await expect(panel.getByText(/no file|There is no/i).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  expect(complaints).toEqual([]);
});
