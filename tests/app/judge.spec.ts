import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { decide, importPath, look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);
test.describe.configure({ mode: 'serial' });

const workbench = new Workbench();
test.beforeAll(() => workbench.start('--workspace', join(workbench.folder, 'first')));
test.afterAll(() => workbench.remove());

/** Two answers to each of 90 questions, one with the word that the labeler of these tests likes. */
const rows = Array.from({ length: 180 }, (_none, row) => ({
  prompt: `Question ${Math.floor(row / 2)}`,
  completion: `${row % 2 === 0 ? 'Thanks, gladly' : 'Whatever, no'}: ${['stone', 'river', 'paper'][row % 3]} ${row}.`,
}));

const left = (page: Page) => page.getByRole('region', { name: 'Text of the left answer' });
const judge = (page: Page) => page.getByRole('group', { name: 'Judge' });

/** Decides the pair on the screen for the liked word, or against it. */
async function decideOne(page: Page, isWrong = false): Promise<void> {
  const text = (await left(page).textContent()) ?? '';
  await decide(page, text.includes('Thanks') === isWrong ? 'ArrowRight' : 'ArrowLeft');
}

test('the judge follows the labels at the foot, and orders the queue', async ({ page }) => {
  const complaints = await watch(page);
  const path = join(workbench.folder, 'answers.jsonl');
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  await page.goto(workbench.url);
  await importPath(page, path);
  await page.getByRole('link', { name: 'Label pairs' }).first().click();
  await page.getByRole('button', { name: 'Create pairs' }).click();
  await expect(page.getByText('0 / 90')).toBeVisible();
  await expect(judge(page)).toContainText('Judge from 50 decisions on, 0 so far');
  await expect(judge(page).getByRole('link', { name: 'Train a judge now' })).toHaveCount(0);

  await page.keyboard.press('o');
  const panel = page.getByRole('region', { name: 'Judge and order' });
  await panel.getByLabel('Order of the queue').selectOption('Most uncertain');
  await expect(judge(page)).toContainText('Most uncertain: random until it is ready');
  await look(page, 'judge-waiting');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);

  for (let at = 1; at <= 55; at += 1) {
    await decideOne(page, at === 12 || at === 25);
    await expect(page.getByText(`${at} / 90`)).toBeVisible();
  }
  await expect(judge(page)).toContainText(/Judge (1|\.)\S* \[\S+, \S+\] at 5\d labels/);
  await expect(judge(page)).not.toContainText('random until');
  await expect(judge(page).getByRole('link', { name: 'Train a judge now' })).toHaveAttribute(
    'href',
    /#\/runs\/new\?labels=.*&produces=reward/,
  );
  await page.keyboard.press('o');
  await expect(panel.getByRole('row', { name: /^25/ })).toBeVisible();
  await look(page, 'judge-fitted');
  await page.setViewportSize({ width: 1000, height: 700 });
  await look(page, 'judge-narrow');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('Escape');

  await page.reload();
  await expect(judge(page)).toContainText(/at 5\d labels/);
  expect(complaints).toEqual([]);
});

test('disagreements are decided again by keyboard, without the earlier decision', async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: 'Label', exact: true })
    .press('Enter');
  await page.getByRole('link', { name: 'Continue' }).press('Enter');
  await page.getByRole('link', { name: '55 / 90' }).press('Enter');
  await page.getByRole('checkbox', { name: 'Judge disagrees' }).press('Space');
  await expect(page.getByText(/^[23] decisions$/)).toBeVisible();
  await expect(page.getByText(/^judge: (left|right) (1|\.)/).first()).toBeVisible();
  await look(page, 'judge-review');
  await page.getByRole('link', { name: 'Relabel disagreements' }).press('Enter');

  await expect(left(page)).toBeVisible();
  await expect(page.getByRole('list', { name: 'Last decisions' }).getByRole('button')).toHaveCount(0);
  await expect(page.getByLabel('chosen before')).toHaveCount(0);
  await look(page, 'judge-relabel');
  const ended = page.getByRole('heading', { name: 'No disagreement is left' });
  for (let at = 0; at < 4; at += 1) {
    await expect(left(page).or(ended)).toBeVisible();
    if (await ended.isVisible()) break;
    const text = await left(page).textContent();
    await decideOne(page);
    await expect(left(page).filter({ hasText: text ?? '' })).toHaveCount(0);
  }
  await expect(ended).toBeVisible();
  await expect(page.getByText('55 / 90')).toBeVisible();
  await page.getByRole('link', { name: 'Label on' }).press('Enter');
  await expect(left(page)).toBeVisible();
  expect(complaints).toEqual([]);
});
