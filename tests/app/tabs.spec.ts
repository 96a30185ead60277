import { utimesSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { root } from '../run/check.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { decide, importPath, look, runLink, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const small: RunSpecInput = {
  name: 'base',
  method: { id: 'sft' },
  task: { kind: 'world', id: 'toy/copy' },
  budget: { steps: 8, batch: 8 },
  sampling: { maxTokens: 8 },
  evaluation: { problems: 4, samples: 2 },
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 32 },
      tokenizer: { kind: 'characters' },
    },
  },
};

const workbench = new Workbench();
/** Runs this specification and returns the id of its only checkpoint. */
const launched = async (spec: RunSpecInput): Promise<string> => (await workbench.trained(spec)).checkpointId;
test.beforeAll(async () => {
  const checkpointId = await launched(small);
  const { task, budget } = small;
  const from: RunSpecInput['models'] = { policy: { kind: 'checkpoint', checkpointId } };
  await launched({
    name: 'sharpened',
    method: { id: 'grpo', params: { groupSize: 4 } },
    task,
    budget,
    models: from,
    sampling: { maxTokens: 8 },
    evaluation: { problems: 4, samples: 2 },
    rewards: [{ id: 'length' }],
  });
  await launched({ ...small, name: 'unmeasured', evaluation: { problems: 0 } });
  await launched({
    ...small,
    name: 'judge',
    method: { id: 'bradley-terry', params: { trunk: 'trained' } },
    task: { kind: 'world', id: 'toy/pairs', params: { length: 2 } },
  });
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

test('a link opened in a new tab or window works, and the key appears nowhere on the page', async ({
  page,
  context,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  for (const [modifier, name] of [
    ['Control', 'base'],
    ['Shift', 'sharpened'],
  ] as const) {
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      runLink(page, name).click({ modifiers: [modifier] }),
    ]);
    await expect(opened.getByLabel('Run name')).toHaveValue(name);
    expect(opened.url()).not.toContain('token');
    const kept = await opened.evaluate(() => [
      JSON.stringify({ ...localStorage }),
      document.cookie,
      document.referrer,
    ]);
    const key = new URL(workbench.url).hash.split('=').at(-1) ?? '';
    expect(key.length).toBeGreaterThan(32);
    expect(kept.join(' ')).not.toContain(key.slice(-32));
    await opened.reload();
    await expect(opened.getByLabel('Run name'), 'the tab keeps its key').toHaveValue(name);
    await look(opened, `tab-${name}`);
  }
  expect(complaints).toEqual([]);
});

test(
  'another origin and another browser profile get no key; a tab without a key works once another tab ' +
    'has one',
  async ({ page, context, browser }) => {
    await page.goto(workbench.url);
    await expect(page.getByText('Engine idle')).toBeVisible();
    const other = new Workbench();
    const stranger = await browser.newContext();
    try {
      await other.start('--workspace', join(other.folder, 'first'));
      const elsewhere = await context.newPage();
      await elsewhere.goto(new URL(other.url).origin);
      await expect(elsewhere.getByText('This tab is not signed in')).toBeVisible();
      const profile = await stranger.newPage();
      await profile.goto(new URL(workbench.url).origin);
      await expect(profile.getByText('This tab is not signed in')).toBeVisible();
      await look(profile, 'no-key');
      const owner = await context.newPage();
      await owner.goto(other.url);
      await expect(elsewhere.getByText('Engine idle')).toBeVisible();
    } finally {
      await stranger.close();
      await other.remove();
    }
  },
);

/** Sentences of empty states. */
const emptiness = [
  'Curves appear',
  'It ended before',
  'deleted',
  'removed',
  'None yet',
  'None.',
  'None found',
  'No evaluation',
  'no evaluation yet',
  'No matching curve',
  'No runs yet',
  'No such',
  'No data yet',
  '0 runs',
  '0 checkpoints',
  'The demo walks the whole loop',
  'No models yet',
  'No reward model',
  'No label sets',
  'There are no answers',
  'No answers',
  'The configurations are the same',
  'no prompt in common',
  'No proxy reward',
  'Select two runs',
  'held out no answers',
  'Every line could be read',
  'No matching row',
  'No pairs',
  'Nothing to compare',
  'has no policy evaluation',
];

/** Delays every reply of the services, and records each empty-state sentence that appears on the page. */
async function slowly(page: Page): Promise<() => Promise<string[]>> {
  await page.routeWebSocket(/\/socket$/, (line) => {
    const server = line.connectToServer();
    server.onMessage((message) => {
      setTimeout(() => line.send(message), 700);
    });
  });
  await page.addInitScript((sentences) => {
    const seen = new Set<string>();
    Object.assign(window, { seenSentences: seen });
    new MutationObserver(() => {
      const text = document.body?.innerText ?? '';
      for (const sentence of sentences) if (text.includes(sentence)) seen.add(sentence);
    }).observe(document, { childList: true, subtree: true, characterData: true });
  }, emptiness);
  return () =>
    page.evaluate(() => {
      const seen = (window as unknown as { seenSentences: Set<string> }).seenSentences;
      const found = [...seen];
      seen.clear();
      return found;
    });
}

test('no view shows an empty state before its data has loaded', async ({ page, context }) => {
  const rows = Array.from({ length: 4 }, (_, i) =>
    [true, false].map((correct) => ({ prompt: `question ${i}`, answer: `${correct} ${i}`, correct })),
  ).flat();
  const path = join(workbench.folder, 'pairs.jsonl');
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  await page.goto(workbench.url);
  await importPath(page, path);
  await page.getByRole('link', { name: 'Label pairs' }).click();
  await page.getByRole('button', { name: 'Create pairs' }).click();
  await decide(page, '1');
  await expect(page.getByText('1 / 4')).toBeVisible();

  const slow = await context.newPage();
  const complaints = await watch(slow);
  const emptyStates = await slowly(slow);
  await slow.goto(workbench.url);
  const visit = async (hash: string, there: ReturnType<Page['locator']>) => {
    await slow.evaluate((to) => {
      location.hash = to;
    }, hash);
    await expect(there).toBeVisible();
    await slow.waitForTimeout(200);
    expect(await emptyStates(), hash).toEqual([]);
  };
  await expect(slow.getByRole('heading', { name: 'Last results' })).toBeVisible();
  expect(await emptyStates()).toEqual([]);
  const idOf = async (name: string) => {
    await slow.evaluate(() => {
      location.hash = '#/runs';
    });
    const href = await runLink(slow, name).getAttribute('href');
    return href?.split('/')[2] ?? '';
  };
  const [base, sharpened, unmeasured, judge] = [
    await idOf('base'),
    await idOf('sharpened'),
    await idOf('unmeasured'),
    await idOf('judge'),
  ];
  await visit(`#/runs/${sharpened}/curves`, slow.locator('.u-over').first());
  await expect(slow.getByRole('link', { name: 'base, step 8' })).toBeVisible();
  await visit(`#/runs/${base}/results`, slow.getByRole('table').first());
  await visit(`#/runs/${sharpened}/samples`, slow.getByText(/^\d+ answers$/));
  await visit(`#/runs/${sharpened}/rescore`, slow.getByRole('form', { name: 'Re-score' }));
  await visit(`#/compare?runs=${base},${sharpened}`, slow.getByRole('tab', { name: 'Configuration' }));
  await visit('#/label', slow.getByRole('heading', { name: 'New set' }));
  await visit('#/datasets', slow.getByRole('heading', { name: 'Choose a dataset' }));
  await visit('#/models', slow.getByRole('heading', { name: 'Choose a model' }));
  await visit(`#/rewards/${judge}`, slow.getByRole('heading', { name: 'judge' }));
  await slow.waitForTimeout(3000);
  expect(await emptyStates()).toEqual([]);
  await visit('#/methods', slow.getByRole('heading', { name: 'Choose a method or a world' }));
  await visit('#/settings', slow.getByText('self-check').or(slow.getByRole('heading', { name: 'Devices' })));
  await slow.waitForTimeout(2500);
  expect(await emptyStates()).toEqual([]);
  expect(complaints).toEqual([]);

  await page.evaluate((to) => {
    location.hash = to;
  }, `#/compare?runs=${sharpened},${unmeasured}`);
  await expect(page.getByRole('columnheader', { name: 'proxy' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'KL nats' })).toBeVisible();
  await expect(page.getByText('has no policy evaluation')).toBeVisible();
  const widths = await page
    .getByRole('table')
    .first()
    .locator('tr')
    .evaluateAll((lines) =>
      lines.map((line) =>
        [...(line as HTMLTableRowElement).cells].reduce((sum, cell) => sum + cell.colSpan, 0),
      ),
    );
  expect(new Set(widths).size, `every row spans all columns: ${widths.join(', ')}`).toBe(1);
  await look(page, 'compare-unmeasured');
});

test('an error clears the score of the previous input', async ({ page }) => {
  await page.goto(workbench.url);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page
    .getByRole('list', { name: 'Reward models' })
    .getByRole('link', { name: /^judge/ })
    .click();
  const scorer = page.getByRole('region', { name: 'Live scorer' });
  await expect(scorer.getByRole('status')).toContainText(/\d/);
  await scorer.getByLabel('Answer').fill('☃ is no character that it knows');
  await expect(scorer.getByRole('alert')).toBeVisible();
  await expect(scorer.getByRole('status')).toHaveText(/^–\s*Keep for comparison$/);
  await expect(scorer.getByRole('button', { name: 'Keep for comparison' })).toBeDisabled();
  await look(page, 'scorer-error');
});

test('serve rebuilds a page that is older than its sources, and others serve it all along', async () => {
  const page = join(root, 'dist/renderer/index.html');
  await workbench.stop();
  const other = new Workbench();
  await other.start('--workspace', join(other.folder, 'first'));
  utimesSync(page, 1, 1);
  const statuses = new Set<number>();
  let isBuilt = false;
  const started = workbench
    .startFrom('main/cli.ts', '--workspace', join(workbench.folder, 'first'))
    .finally(() => (isBuilt = true));
  try {
    while (!isBuilt) statuses.add((await fetch(new URL(other.url).origin)).status);
    await started;
  } finally {
    await other.remove();
  }
  expect([...statuses]).toEqual([200]);
  expect(statSync(page).mtimeMs).toBeGreaterThan(Date.now() - 600_000);
  const answer = await fetch(new URL(workbench.url).origin);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('<div id="app">')]);
});
