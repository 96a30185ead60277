import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { describe, expect, it, vi } from 'vitest';
import { idleDemo } from '../../main/demo/progress.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import type { DemoStatus } from '../../preload/contract/demo.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import type { Checkpoint, Run } from '../../preload/contract/runs.ts';
import DemoPanel from '../../renderer/features/home/DemoPanel.svelte';
import { readHoldings, type Holdings } from '../../renderer/features/home/holdings.ts';
import LastResults from '../../renderer/features/home/LastResults.svelte';
import Loop from '../../renderer/features/home/Loop.svelte';
import { loopNodes } from '../../renderer/features/home/loop.ts';
import NextStep from '../../renderer/features/home/NextStep.svelte';
import { ENOUGH_LABELS, nextStep, type Step } from '../../renderer/features/home/next-step.ts';
import { noFindings } from '../support/findings.ts';

const empty: Holdings = {
  datasets: [],
  labelSets: [],
  policies: [],
  addedModels: 0,
  judges: [],
  ended: [],
  improved: [],
};
const run = (id: string, own: Partial<Run> = {}) =>
  ({
    id,
    name: id,
    method: 'grpo',
    state: 'done',
    createdAt: 0,
    startedAt: 0,
    endedAt: 35_000,
    outcome: null,
    warnings: [],
    ...own,
  }) as Run;
const checkpoint = (id: string, own: Partial<Checkpoint> = {}) =>
  ({
    id,
    runId: id,
    runName: id,
    method: 'sft',
    step: 8,
    head: 'next-token',
    createdAt: 0,
    ...own,
  }) as Checkpoint;
const labels = (pairs: number, decided: number, id = 'set') =>
  ({ id, name: 'my labels', pairs, decided, labeled: decided, createdAt: 0 }) as LabelSet;
const dataset = (answers = 12): Dataset => ({
  id: 'data',
  name: 'sums',
  source: 'sums.jsonl',
  hash: '',
  createdAt: 0,
  rows: 12,
  doctor: { ...noFindings, prompts: 6, answers },
});
const solved = (id: string): Run =>
  run(id, { outcome: { measure: 'pass@1', value: 0.75, interval: [0.7, 0.8], kl: 0.5, step: 80 } });

describe('the next step', () => {
  const titles = ({ primary, others }: ReturnType<typeof nextStep>) =>
    [primary, ...others].map((s) => s.title);
  const queryOf = ({ to }: Step) => (to === 'demo' ? to : to.query);

  it('in an empty workspace is the demo, beside data and a base policy', () => {
    expect(titles(nextStep(empty))).toEqual(['Run the demo here', 'Import data', 'Train a base policy']);
  });
  it('for data without a model is a base policy on it, or its pairs if prompts have several answers', () => {
    const next = nextStep({ ...empty, datasets: [dataset()] });
    expect(titles(next)).toEqual(['Train a base policy on it', 'Label its pairs']);
    expect(queryOf(next.primary)).toMatchObject({ method: 'sft', policy: 'new', dataset: 'data' });
    expect(titles(nextStep({ ...empty, datasets: [dataset(6)] }))).toEqual(['Train a base policy on it']);
  });
  it('for a base policy is to sharpen the newest', () => {
    const next = nextStep({
      ...empty,
      policies: [checkpoint('new'), checkpoint('old')],
      ended: [solved('new')],
    });
    expect(next.primary).toMatchObject({ title: 'Sharpen the policy', to: { query: { checkpoint: 'new' } } });
  });
  it('does not sharpen a policy that was stopped early or solves nothing', () => {
    const left = (own: Partial<Run>) =>
      nextStep({ ...empty, policies: [checkpoint('base')], ended: [run('base', own)] });
    const nothing = { measure: 'pass@1', value: 0 } as Run['outcome'];
    for (const own of [{ state: 'stopped' }, { outcome: nothing }] as const) {
      const { primary, others } = left(own);
      expect(primary).toEqual({ title: 'Open “base”', to: { path: ['runs', 'base'] } });
      expect(others.map(({ title }) => title)).toContain('Train a base policy');
    }
    const something = { measure: 'pass@1', value: 0.2 } as Run['outcome'];
    expect(left({ outcome: something }).primary.title).toBe('Sharpen the policy');
  });
  it('for few labels is to label on, and for enough of them a reward model', () => {
    const set = (decided: number) => nextStep({ ...empty, labelSets: [labels(50, decided)] });
    expect(titles(set(0))).toEqual(['Label pairs']);
    expect(titles(set(ENOUGH_LABELS - 1))).toEqual(['Label pairs', 'Train a reward model']);
    expect(titles(set(ENOUGH_LABELS))).toEqual(['Train a reward model', 'Label pairs']);
    expect(titles(set(50))).toEqual(['Train a reward model']);
    expect(queryOf(set(50).primary)).toEqual({ labels: 'set', produces: 'reward' });
  });
  it('looks at the set with the most decisions', () => {
    const next = nextStep({ ...empty, labelSets: [labels(9, 1, 'few'), labels(50, 40, 'many')] });
    expect(queryOf(next.primary)).toMatchObject({ labels: 'many' });
  });
  it('is not another reward model where there is one', () => {
    const held = { ...empty, labelSets: [labels(50, 50)], judges: [checkpoint('j', { head: 'reward' })] };
    expect(titles(nextStep({ ...held, policies: [checkpoint('base')] }))[0]).toBe('Sharpen the policy');
  });
  it('for several evaluated runs is to compare the newest six', () => {
    const held: Holdings = {
      ...empty,
      policies: [checkpoint('base')],
      improved: [run('a')],
      ended: ['a', 'b', 'c'].map(solved),
    };
    expect(nextStep(held).primary).toEqual({
      title: 'Compare 3 runs',
      to: { path: ['compare'], query: { runs: 'a,b,c' } },
    });
    const many = nextStep({ ...held, ended: [...'abcdefgh'].map(solved) });
    expect(many.primary.title).toBe('Compare the last 6 runs');
    expect(queryOf(many.primary)).toEqual({ runs: 'a,b,c,d,e,f' });
  });
  it('after runs that left nothing is a base policy', () => {
    expect(titles(nextStep({ ...empty, ended: [run('a')] }))[0]).toBe('Train a base policy');
  });
  it('is one primary button; the demo is a button, the rest are links', async () => {
    const ondemo = vi.fn();
    const { container } = render(NextStep, { next: nextStep(empty), ondemo });
    expect(container.querySelectorAll('.primary')).toHaveLength(1);
    await fireEvent.click(screen.getByRole('button', { name: 'Run the demo here' }));
    expect(ondemo).toHaveBeenCalledOnce();
    expect(screen.getByRole('link', { name: 'Import data' }).getAttribute('href')).toBe('#/datasets');
  });
  it('does not offer the demo among other steps where that stands elsewhere', () => {
    render(NextStep, { next: nextStep({ ...empty, policies: [checkpoint('base')] }) });
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('the last results', () => {
  it('are rows that open their runs, with a warning where a run went wrong', () => {
    const hacked = { kind: 'over-optimization' as const, text: 'The proxy rose while pass@1 fell.' };
    const accuracy = { measure: 'accuracy' as const, value: 0.671, kl: null, step: 30 };
    render(LastResults, {
      runs: [
        solved('grpo-verifier'),
        run('samples', { startedAt: null }),
        run('hacked', { warnings: [hacked] }),
        run('dqn', { outcome: { ...accuracy, measure: 'return', value: -91.5, interval: [-98.7, -84.3] } }),
        run('judge', { outcome: { ...accuracy, interval: [0.631, 0.709] } }),
      ],
      markOf: () => ({ index: 0, variable: '--run-0', dash: [] }),
    });
    const row = screen.getByRole('row', { name: /grpo-verifier/ });
    expect(row.textContent).toMatch(/pass@1.*\.750 \[.700, .800\].*\.500.*35 s/);
    expect(within(row).getByRole('link').getAttribute('href')).toBe('#/runs/grpo-verifier');
    expect(screen.getByRole('row', { name: /samples/ }).textContent).toContain('–');
    expect(screen.getByRole('row', { name: /hacked/ }).textContent).toContain(hacked.text);
    expect(screen.getByRole('row', { name: /judge/ }).textContent).toMatch(/held-out accuracy.*\.671/);
    // a return has no bounds, so that it is not drawn on the axis of rates
    const returned = screen.getByRole('row', { name: /dqn/ });
    expect(returned.textContent).toMatch(/return.*−91\.5 \[−98\.7, −84\.3\]/);
    expect(returned.querySelectorAll('circle')).toHaveLength(0);
    expect(row.querySelectorAll('circle')).toHaveLength(1);
  });
});

describe('the loop', () => {
  it('counts nothing before it is read', () => {
    expect(loopNodes(null).map(({ count, detail }) => [count, detail])).toEqual(
      Array.from({ length: 5 }, () => [null, '']),
    );
  });
  it('shows what is at each place, each a link', () => {
    const held: Holdings = {
      ...empty,
      datasets: [dataset()],
      labelSets: [labels(50, 40), labels(10, 0, 'other')],
      policies: [checkpoint('base')],
      improved: [run('a')],
      ended: ['a', 'b'].map(solved),
    };
    render(Loop, { held });
    const links = within(screen.getByRole('navigation', { name: 'The training loop' })).getAllByRole('link');
    expect(links.map((link) => [link.getAttribute('href'), link.textContent.replace(/\s+/g, ' ')])).toEqual([
      ['#/datasets', expect.stringMatching(/1 dataset ?12 rows/)],
      ['#/label', expect.stringMatching(/2 label sets ?40 of 60 decided/)],
      ['#/rewards', expect.stringContaining('0 reward models')],
      ['#/runs', expect.stringMatching(/1 run ?1 checkpoint/)],
      ['#/compare?runs=a%2Cb', expect.stringContaining('2 evaluated runs')],
      ['#/label?order=uncertain', 'Label where the reward model is unsure'],
    ]);
  });
  it('tells policies from judges, and improved policies from base ones', async () => {
    const client = {
      runs: {
        catalogue: async () => ({
          methods: [
            { id: 'sft', produces: 'policy' },
            { id: 'grpo', produces: 'policy' },
            { id: 'bradley-terry', produces: 'reward' },
          ],
        }),
        checkpoints: async () => [
          checkpoint('base', { createdAt: 1 }),
          checkpoint('newer', { createdAt: 3 }),
          checkpoint('judge', { createdAt: 2, head: 'reward', method: 'bradley-terry' }),
        ],
        results: async () => [],
      },
      models: { list: async () => [] },
      datasets: { list: async () => [] },
      labels: { sets: async () => [] },
      compare: { overview: async () => ({ rows: [] }) },
    } as unknown as WhetstoneClient;
    const from = (kind: 'new' | 'checkpoint') => ({ models: { policy: { kind } } }) as unknown as Run['spec'];
    const held = await readHoldings(client, [
      run('sharpened', { spec: from('checkpoint') }),
      run('failed', { spec: from('checkpoint'), state: 'failed' }),
      run('judge', { spec: from('checkpoint'), method: 'bradley-terry' }),
      run('base', { spec: from('new'), method: 'sft' }),
      run('going', { spec: from('checkpoint'), state: 'running' }),
    ]);
    expect(held.policies.map(({ id }) => id)).toEqual(['newer', 'base']);
    expect(held.judges.map(({ id }) => id)).toEqual(['judge']);
    expect(held.improved.map(({ id }) => id)).toEqual(['sharpened']);
    expect(held.ended.map(({ id }) => id)).not.toContain('going');
  });
});

describe('the demo on Home', () => {
  const shown = (own: Partial<DemoStatus>) => {
    const [onstart, onstop] = [vi.fn(), vi.fn()];
    render(DemoPanel, { status: { ...idleDemo, ...own }, onstart, onstop });
    return { onstart, onstop };
  };
  it('shows its stage, its time left and a door to its run, and stops', async () => {
    const { onstop } = shown({
      state: 'running',
      stage: 'reward model',
      finished: 3,
      share: 0.4,
      secondsLeft: 125,
      runId: 'r',
    });
    expect(screen.getByRole('region', { name: 'Demo' }).textContent.replace(/\s+/g, ' ')).toContain(
      'Stage 4 of 9: reward model',
    );
    expect(screen.getByText('about 2 min 05 s left')).toBeTruthy();
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('40');
    expect(screen.getByRole('link', { name: 'reward model' }).getAttribute('href')).toBe('#/runs/r');
    await fireEvent.click(screen.getByRole('button', { name: 'Stop the demo' }));
    expect(onstop).toHaveBeenCalledOnce();
  });
  it('cannot be stopped twice', () => {
    shown({ state: 'stopping', stage: 'base' });
    expect(screen.getByRole('button', { name: 'Stopping…' })).toHaveProperty('disabled', true);
  });
  it('ends with what it found, a comparison of its policies and its report', () => {
    shown({
      state: 'done',
      findings: ['GRPO gained .241.'],
      policies: ['a', 'b'],
      report: '/w/demo-seed-0.html',
    });
    expect(screen.getByRole('link', { name: 'Compare its 2 policies' }).getAttribute('href')).toBe(
      '#/compare?runs=a%2Cb',
    );
    expect(screen.getByRole('listitem').textContent).toBe('GRPO gained .241.');
    expect(screen.getByText('/w/demo-seed-0.html')).toBeTruthy();
  });
  it('says what failed, and starts again', async () => {
    const { onstart } = shown({
      state: 'failed',
      error: { kind: 'disk-full', message: 'The disk is full.' },
    });
    expect(screen.getByRole('alert').textContent).toContain('The disk is full.');
    await fireEvent.click(screen.getByRole('button', { name: 'Run the demo again' }));
    expect(onstart).toHaveBeenCalledOnce();
  });
});
