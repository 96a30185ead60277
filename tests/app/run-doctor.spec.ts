import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, runLink, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
const common = {
  task: { kind: 'world', id: 'toy/copy', params: { letters: 8, wrong: 0 } },
  sampling: { maxTokens: 8 },
  evaluation: { problems: 60, samples: 4 },
} satisfies Partial<RunSpecInput>;
const launched = async (name: string, spec: Omit<RunSpecInput, 'name'>): Promise<string> =>
  (await workbench.trained({ name, ...spec })).checkpointId;
test.beforeAll(async () => {
  const checkpointId = await launched('base', {
    ...common,
    method: { id: 'sft' },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 32, layers: 1, heads: 2, context: 24 },
        tokenizer: { kind: 'characters' },
      },
    },
    optimizer: { learningRate: 0.01, schedule: 'cosine' },
    budget: { steps: 150, batch: 32 },
  });
  await launched('hacked', {
    ...common,
    method: { id: 'grpo', params: { groupSize: 8, klWeight: 0.001 } },
    models: { policy: { kind: 'checkpoint', checkpointId } },
    // answers as long as possible earn most and are wrong
    rewards: [{ id: 'length' }, { id: 'verifier', weight: 0 }],
    optimizer: { learningRate: 0.01 },
    budget: { steps: 40, batch: 16 },
  });
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

const main = (page: Page) => page.getByRole('main');
const finding = (page: Page, title: string) => main(page).getByRole('article', { name: title });
const hacking = 'Proxy up while gold falls';

test('a hacked run is marked in every list, and its page says by how much, since when, and what would help', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await expect(runLink(page, 'hacked')).toContainText(/Run doctor: \d+ findings?, \d severe/);
  await expect(runLink(page, 'base')).not.toContainText('Run doctor');

  await runLink(page, 'hacked').focus();
  await page.keyboard.press('Enter');
  await main(page).getByRole('tab', { name: 'Doctor' }).click();
  await expect(finding(page, hacking)).toContainText(/rose from .*, while .* fell from/);
  await expect(finding(page, hacking)).toContainText(/Observed.*held-out pass@1.*Expected/s);
  await look(page, 'run-doctor');

  await test.step('the answers behind it can be read', async () => {
    await finding(page, hacking)
      .getByRole('button', { name: /^Show answers/ })
      .click();
    await expect(
      finding(page, hacking)
        .getByRole('list', { name: /^Answers behind/ })
        .getByRole('listitem'),
    ).toHaveCount(5);
  });

  await test.step('the step leads to that part of the curve', async () => {
    await finding(page, hacking)
      .getByRole('link', { name: /^steps? .* of reward\/verifier/ })
      .click();
    await expect(main(page).getByRole('img', { name: /^reward\/verifier/ })).toBeVisible();
    await expect(main(page).getByRole('img', { name: /^loss/ })).toHaveCount(0);
    await look(page, 'run-doctor-curve');
    await main(page).getByRole('link', { name: 'Show all curves' }).click();
    await expect(main(page).getByRole('img', { name: /^loss/ })).toBeVisible();
  });

  await test.step('a dismissed finding stays so after a reload, until it is shown again', async () => {
    await main(page).getByRole('tab', { name: 'Doctor' }).click();
    await finding(page, hacking)
      .getByRole('button', { name: /^Dismiss/ })
      .click();
    await expect(finding(page, hacking)).toHaveCount(0);
    await page.reload();
    const dismissed = main(page).getByRole('region', { name: 'Dismissed findings' });
    await expect(dismissed).toContainText(hacking);
    await dismissed.getByRole('button', { name: /^Show again.*Proxy up/ }).click();
    await expect(finding(page, hacking)).toBeVisible();
  });

  await test.step('a small window clips nothing', async () => {
    await page.setViewportSize({ width: 1000, height: 700 });
    await look(page, 'run-doctor-small');
    const isWide = await main(page).evaluate((each) => each.scrollWidth > each.clientWidth + 1);
    expect(isWide).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step('a remedy opens the form as a copy of the run with its setting', async () => {
    await finding(page, hacking)
      .getByRole('link', { name: /^Copy with: KL weight 0\.1/ })
      .click();
    await expect(page.getByLabel('KL weight', { exact: false }).first()).toHaveValue('0.1');
    await look(page, 'run-doctor-remedy');
  });

  await test.step('Home and the picker of Compare show the mark', async () => {
    await page.goto(`${workbench.url.replace(/#.*/, '')}#/compare`);
    await expect(page.getByRole('list', { name: 'Runs to compare' })).toContainText('Run doctor:');
    await page.goto(`${workbench.url.replace(/#.*/, '')}#/`);
    await expect(page.getByRole('region', { name: 'Last results' })).toContainText('Run doctor:');
  });
  expect(complaints).toEqual([]);
});

test('settings of an address that cannot be read leave a plain copy, and are reported', async ({ page }) => {
  await page.goto(workbench.url);
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await runLink(page, 'hacked').click();
  const from = /runs\/([\w-]+)/.exec(page.url())?.[1] ?? '';
  await page.goto(`${page.url().replace(/#.*/, '')}#/runs/new?from=${from}&set=%7Bbroken`);
  await expect(page.getByText('The settings in this address cannot be read.')).toBeVisible();
  await expect(page.getByRole('button', { name: /Launch/ }).first()).toBeVisible();
});
