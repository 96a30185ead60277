import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
test.beforeAll(() => workbench.startWithRun());
test.afterAll(() => workbench.remove());

test('a sample of co-training is opened from Home, and its verdicts are looked at line by line', async ({
  page,
}) => {
  test.setTimeout(300_000);
  const complaints = await watch(page);
  await workbench.openSample(page, 'Co-train');
  await expect(page.getByText('6 of 6 nodes done')).toBeVisible({ timeout: 240_000 });
  await page.getByRole('link', { name: 'together', exact: false }).first().click();
  await page.getByRole('tab', { name: 'Verdicts' }).click();
  await expect(page.getByRole('img', { name: 'policy: 36 steps in 12 turns' })).toBeVisible();
  await expect(page.getByRole('img', { name: 'verifier: 20 steps in 13 turns' })).toBeVisible();
  await expect(page.getByRole('table', { name: /^Verdicts on answers, steps? / })).toHaveCount(6);
  await page.getByRole('combobox', { name: 'Judged' }).selectOption('lines');
  await expect(page.getByRole('table', { name: /^Verdicts on lines, steps? / })).toHaveCount(6);

  // the first stage by keyboard; its answers follow
  const first = page.getByRole('button', { name: /^steps 1–/ });
  await first.focus();
  await page.keyboard.press('Enter');
  await expect(first).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('heading', { name: /^Judged answers, steps 1–/ })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(6);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(page.getByRole('article')).toHaveCount(18);
  await expect(page.getByRole('article').getByText('first error').first()).toBeVisible();
  await look(page, 'verdicts');
  await page.getByRole('combobox', { name: 'Show' }).selectOption('found');
  await expect(page.getByRole('article').getByText('wrong, and marked').first()).toBeVisible();
  expect(complaints).toEqual([]);
});
