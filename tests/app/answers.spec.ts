import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { chromium, noChromium } from '../run/chromium.ts';
import { look, watch, Workbench } from './workbench.ts';

test.skip(!chromium(), noChromium);

const small = {
  kind: 'new',
  architecture: { width: 16, layers: 1, heads: 2, context: 32 },
  tokenizer: { kind: 'characters' },
} as const;
/**
 * Two turns with a world; a judge that says its verdict in a word; a reward whose code fails for two reasons,
 * and goes on.
 */
const runs: readonly RunSpecInput[] = [
  {
    name: 'turns',
    method: { id: 'sft' },
    task: { kind: 'world', id: 'toy/turns', params: { wrong: 0 } },
    models: { policy: small },
    optimizer: { learningRate: 0.01 },
    budget: { steps: 80, batch: 16 },
    evaluation: { problems: 0 },
  },
  {
    name: 'judge',
    method: { id: 'generative-verdict' },
    task: { kind: 'world', id: 'toy/pairs', params: { length: 2 } },
    models: { policy: small },
    optimizer: { learningRate: 0.005 },
    budget: { steps: 60, batch: 32 },
    evaluation: { problems: 20 },
  },
  {
    name: 'faulty',
    method: { id: 'grpo', params: { groupSize: 4 } },
    task: { kind: 'world', id: 'toy/copy' },
    models: { policy: small },
    budget: { steps: 3, batch: 8 },
    sampling: { maxTokens: 8 },
    evaluation: { problems: 0 },
    rewards: [
      { id: 'verifier' },
      {
        id: 'snippet',
        params: {
          onError: 'score',
          code:
            '({ completion: { length } }) => { if (length % 3 === 0) throw new Error("by three"); return ' +
            'length % 3 === 1 ? NaN : length; }',
        },
      },
    ],
  },
];

const workbench = new Workbench();
test.beforeAll(async () => {
  for (const spec of runs) {
    const path = join(workbench.folder, `${spec.name ?? ''}.json`);
    writeFileSync(path, JSON.stringify(spec));
    await workbench.command('run', path, '--anyway');
  }
  await workbench.start('--workspace', join(workbench.folder, 'first'));
});
test.afterAll(() => workbench.remove());

async function go(page: Page, keys: string): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}
const openRun = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Runs' }).getByRole('link', { name }).click();

test('what a model says to a world, what a judge says of it, and what a reward could not score', async ({
  page,
}) => {
  const complaints = await watch(page);
  await page.goto(workbench.url);
  await page.getByText('No data yet').waitFor();

  await test.step('a prompt is played in turns, shown by who wrote them, and judged', async () => {
    await go(page, 'gm');
    await page
      .getByRole('list', { name: 'Checkpoints' })
      .getByRole('link', { name: /^turns/ })
      .click();
    await expect(page.getByLabel('A problem of')).toHaveValue('toy/turns');
    await page.getByRole('button', { name: 'Draw a problem' }).click();
    await expect(page.getByLabel('Prompt')).toHaveValue(/^[abc]{6}>$/);
    await page.getByLabel('Temperature').fill('0');
    await page.getByLabel('Prompt').press('Control+Enter');
    const tokens = page.getByRole('listbox', { name: 'Tokens of the answer' });
    await expect(tokens.getByRole('group', { name: 'world' }).getByRole('option')).toHaveText([/^[abc]$/]);
    await expect(tokens.getByRole('group', { name: 'model' })).toHaveCount(2);
    await expect(page.getByRole('region', { name: 'Answer' }).getByText(/[✓✕] (right|wrong)/)).toBeVisible();
    await tokens.getByRole('group', { name: 'world' }).getByRole('option').click();
    await expect(page.getByText('the world’s reply: read, never written')).toBeVisible();
    await look(page, 'try-turns');
  });

  await test.step('a judge in words is asked as one types, and says what it measured', async () => {
    await page
      .getByRole('list', { name: 'Checkpoints' })
      .getByRole('link', { name: /^judge/ })
      .click();
    await expect(page.getByText('It judges in words')).toBeVisible();
    await go(page, 'gr');
    await page
      .getByRole('list', { name: 'Reward models' })
      .getByRole('link', { name: /^judge/ })
      .click();
    await expect(page.getByRole('row', { name: /^This reward model/ })).toBeVisible();
    const scorer = page.getByRole('region', { name: 'Live scorer' });
    const score = scorer.getByRole('status');
    const said = async (answer: string): Promise<number> => {
      const before = await score.innerText();
      await scorer.getByLabel('Answer').fill(answer);
      await expect(score).not.toHaveText(before);
      return Number(/[\d.]+/.exec(await score.innerText())?.[0]);
    };
    await scorer.getByLabel('Prompt').fill('abc?');
    const [wrong, right] = [await said('cc'), await said('aa')];
    expect(right, 'the answer with more letters "a"').toBeGreaterThan(wrong);
    expect(right).toBeLessThanOrEqual(1);
    await look(page, 'judge-in-words');
    await scorer.getByLabel('Answer').fill('xyz');
    await expect(scorer.getByRole('alert')).toContainText('alphabet');
    await scorer.getByLabel('Answer').fill('cc');
    await expect(scorer.getByRole('alert')).toHaveCount(0);
  });

  await test.step('answers that could not be scored stand together by reason, and the header of the run leads to them', async () => {
    await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
    await openRun(page, 'faulty');
    await expect(
      page.getByText(/snippet could not score \d+ % of the answers of the last batch/),
    ).toBeVisible();
    await page.getByRole('link', { name: 'See which, and why' }).click();
    await expect(page.getByRole('tab', { name: 'Results' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByText('Threw: Error: by three')).toBeVisible();
    await expect(page.getByText('Not a number: It returned NaN')).toBeVisible();
    await page
      .getByText(/more answers? of this kind/)
      .first()
      .click();
    await look(page, 'run-faults');
    await page.getByRole('tab', { name: 'Samples' }).click();
    await expect(page.getByText('not scored').first()).toBeVisible();
  });

  await test.step('score again without the code, keep the values, and find them at the answers', async () => {
    await page.getByRole('tab', { name: 'Score again' }).click();
    await page.getByRole('button', { name: 'Remove Scorers 2' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByLabel('Scorer', { exact: true }).last().selectOption('length');
    await page.getByLabel(/Keep the values/).check();
    await page.keyboard.press('Control+Enter');
    const found = page.getByRole('region', { name: 'What came out' });
    await expect(found.getByText(/^96 answers in 24 groups/)).toBeInViewport();
    await expect(page.getByRole('button', { name: /^Workspace/ }), 'only the pane has moved').toBeInViewport({
      ratio: 1,
    });
    await expect(
      found.getByRole('row', { name: /^length – / }),
      'nothing of that name was stored',
    ).toBeVisible();
    await expect(found.getByText(/^Kept as/)).toBeVisible();
    const kept = await found.locator('.mono').first().innerText();
    await page.getByRole('tab', { name: 'Samples' }).click();
    await expect(page.locator('.samples li').first()).toContainText(kept);
  });
  expect(complaints).toEqual([]);
});

test('the same by keyboard alone: one stop a list, focus where it was, a way from pane to pane', async ({
  page,
}) => {
  const complaints = await watch(page);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focus = page.locator(':focus');
  await page.goto(workbench.url);
  await page.getByText('No data yet').waitFor();

  await test.step('lists', async () => {
    await go(page, 'gm');
    const list = page.getByRole('list', { name: 'Checkpoints' });
    await expect(list.getByRole('link')).toHaveCount(3);
    await press('Tab', 'Tab');
    await expect(focus).toHaveText(/^faulty/);
    await press('End');
    await expect(focus).toHaveText(/^turns/);
    await press('ArrowUp', 'ArrowDown', 'Enter');
    await expect(page.getByRole('heading', { name: /^turns, step/ })).toBeVisible();
    await press('Tab');
    await expect(focus).toHaveAttribute('role', 'separator');
    await press('Shift+Tab');
    await expect(focus, 'back to the one in view').toHaveText(/^turns/);
    await press('F6');
    await expect(focus).toHaveText('Start a run from it');
    await press('Shift+F6');
    await expect(focus).toHaveAccessibleName('Folder of a model');
    await press('Control+k');
    await expect(page.getByRole('combobox', { name: 'Commands' }), 'chords work in a field').toBeFocused();
    await press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(focus).toHaveAccessibleName('Folder of a model');
  });

  await test.step('what opens takes the focus, and gives it back', async () => {
    const opener = page.getByRole('button', { name: 'Export…' });
    await expect(opener).toBeEnabled();
    await opener.focus();
    await expect(opener).toBeFocused();
    await press('Enter');
    await expect(focus).toHaveAccessibleName('Into a new folder');
    await press('Escape');
    await expect(page.getByRole('form', { name: 'Export' })).toHaveCount(0);
    await expect(opener).toBeFocused();
    const remove = page.getByRole('button', { name: 'Delete', exact: true });
    await remove.focus();
    await press('Enter');
    await expect(focus).toHaveText('Keep');
    await press('Escape');
    await expect(remove).toBeFocused();
    await press('Enter', 'Enter');
    await expect(remove, 'kept').toBeFocused();
  });

  await test.step('the button that starts is the one that stops', async () => {
    await page.getByRole('button', { name: 'Draw a problem' }).focus();
    await press('Enter');
    await expect(page.getByLabel('Prompt')).toHaveValue(/>$/);
    await page.getByRole('button', { name: /^Answer/ }).focus();
    await press('Enter');
    await expect(
      page.getByRole('status').filter({ hasText: /^An answer of \d+ tokens, (right|wrong)$/ }),
    ).toHaveCount(1);
    await expect(page.getByRole('button', { name: /^Answer/ })).toBeFocused();
    await go(page, 'ge');
    await expect(page.getByRole('link', { name: /^Direct Preference/ })).toBeVisible();
    await press('/');
    await page.keyboard.type('2305.18290');
    await press('ArrowDown');
    await expect(page.getByRole('heading', { name: 'Direct Preference Optimization' })).toBeVisible();
    await press('/');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('2402.03300 group relative');
    await press('ArrowDown');
    await expect(page.getByRole('heading', { name: 'Group Relative Policy Optimization' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'Direct Preference Optimization' })).toBeVisible();
    await page.getByLabel('Seed').fill('7');
    await press('Tab', 'Enter');
    await expect(focus, 'a method that is come back to shows what it does').toHaveText('Cancel');
    await expect(page.getByRole('row', { name: /^7 .*reached.*this machine/ })).toBeVisible({
      timeout: 30_000,
    });
    await expect(focus).toHaveText('Run it here');
  });

  await test.step('scorers that come and go', async () => {
    await go(page, 'gu');
    await openRun(page, 'faulty');
    await page.getByRole('tab', { name: 'Curves' }).focus();
    await press('ArrowRight', 'ArrowRight', 'ArrowRight');
    await expect(page.getByRole('tab', { name: 'Score again' })).toBeFocused();
    await page.getByRole('button', { name: 'Add', exact: true }).focus();
    await press('Enter');
    await expect(focus, 'the new one is chosen next').toHaveAccessibleName('Scorer');
    await expect(focus).toHaveValue('');
    await page.getByRole('button', { name: 'Remove Scorers 3' }).focus();
    await press('Enter');
    await expect(page.getByRole('button', { name: 'Add', exact: true })).toBeFocused();
  });
  expect(complaints).toEqual([]);
});

test('in a narrow window the view keeps its room', async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 800 });
  await page.goto(workbench.url);
  await page.getByText('No data yet').waitFor();
  await go(page, 'gu');
  await openRun(page, 'faulty');
  await page.getByRole('tab', { name: 'Score again' }).click();
  await expect(page.getByLabel('Scorer', { exact: true }).first()).toBeVisible();
  const room = async (of: string) => (await page.locator(of).boundingBox())?.width ?? 0;
  expect(await room('main')).toBeGreaterThan(450);
  expect(
    await page.locator('main .body').evaluate((body) => body.scrollWidth - body.clientWidth),
    'nothing reaches over the edge',
  ).toBe(0);
  await look(page, 'rescore-narrow');
  await go(page, 'gm');
  await page
    .getByRole('list', { name: 'Checkpoints' })
    .getByRole('link', { name: /^turns/ })
    .click();
  await expect(page.getByRole('form', { name: 'Try it' })).toBeVisible();
  expect(await room('main')).toBeGreaterThan(450);
});
