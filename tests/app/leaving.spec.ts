import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { chromium, noChromium } from '../run/chromium.ts';
import type { Loop } from '../support/lineage.ts';
import { watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const workbench = new Workbench();
let loop: Loop;
test.beforeAll(async () => {
  loop = await workbench.planted<Loop>('tests/support/lineage-child.ts');
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

/** Time that each message of the services takes, in milliseconds. */
const LATE = 60;

const addresses = ({ dataset, labels, judgeRun, policyRun, answers }: Loop): string[] => {
  const compared = `#/compare?runs=${judgeRun},${policyRun}`;
  return [
    '#/home',
    ...['', '&tab=doctor', '&tab=map', '&tab=sql', '&tab=history'].map(
      (tab) => `#/datasets/${dataset}?${tab}`,
    ),
    '#/label',
    ...['', '/bulk', '/review', '/quality', '/options'].map((page) => `#/label/${labels}${page}`),
    ...['', '/pairs', '/slices', '/probes', '/inside', '/suites'].map((tab) => `#/rewards/${judgeRun}${tab}`),
    ...['', '/samples', '/results', '/doctor', '/log', '/config'].map((tab) => `#/runs/${policyRun}${tab}`),
    '#/runs/new',
    `#/runs/new?from=${policyRun}`,
    '#/runs/unknown',
    '#/runs',
    '#/runs/experiments',
    ...['results', 'problems', 'curves', 'explore', 'configuration', 'answers', 'travel', 'duels'].map(
      (tab) => `${compared}&tab=${tab}`,
    ),
    `#/lineage/run/${policyRun}`,
    `#/datasets/${answers}`,
    '#/models',
    '#/methods',
    '#/self-test',
  ];
};

test('answers of the services that come after a screen was left do no harm, on any screen', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.routeWebSocket(/\/socket$/, (line) => {
    const services = line.connectToServer();
    services.onMessage((message) => void setTimeout(() => line.send(message), LATE));
  });
  await workbench.open(page, '#/settings');
  const title = page.getByRole('heading', { name: 'Settings' }).first();
  await expect(title).toBeVisible();
  const found: string[] = [];
  let seen = 0;
  for (const address of addresses(loop))
    // before the first answer, after one, and after some that asked for more
    for (const stay of [0, 1.5 * LATE, 3.5 * LATE]) {
      await page.evaluate(
        async ([to, ms]) => {
          const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
          location.hash = to;
          await wait(ms);
          location.hash = '#/settings';
          await wait(ms);
        },
        [address, stay] as const,
      );
      if (complaints.length > seen)
        found.push(`${address}, left after ${stay} ms: ${complaints.slice(seen).join('; ')}`);
      seen = complaints.length;
    }
  await page.waitForTimeout(10 * LATE);
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
  await expect(title).toBeVisible();
});
