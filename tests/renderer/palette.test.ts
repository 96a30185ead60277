import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idleDemo } from '../../main/demo/progress.ts';
import { paletteScore } from '../../renderer/widgets/palette-score.ts';
import type { ToPage, ToServices } from '../../preload/wire/wire.ts';

/** The desktop's line in memory; `outputs` answers calls, feeds get their value at once. */
const sent: ToServices[] = [];
let answer: (frame: ToPage) => void = () => undefined;
const run = (id: string, state: string) => ({
  id,
  name: id,
  method: 'grpo',
  state,
  archived: false,
  createdAt: state === 'done' ? 1 : 2,
});
const states = ['running', 'queued', 'done', 'done', 'stopped'];
const settled = () => new Promise((resolve) => setTimeout(resolve, 10));
const outputs: { [path: string]: unknown } = {
  'system.info': { transport: 'ipc', version: '0' },
  'system.settings': {},
  'workspaces.current': { id: 'w', name: 'w', path: '/w', createdAt: 0 },
  'datasets.list': [{ id: 'd', name: 'capitals', rows: 2 }],
  'labels.sets': [{ id: 'l', name: 'my labels', labeled: 3, pairs: 9 }],
  'models.list': [{ id: 'm', name: 'tiny-llama', architecture: 'llama', head: 'next-token' }],
  'runs.checkpoints': [{ id: 'c', runName: 'base', method: 'sft', step: 2400, head: 'next-token' }],
  'runs.catalogue': { methods: [{ id: 'dpo', title: 'Direct Preference Optimization' }] },
  'runs.stop': { ok: true },
  'runs.resume': { ok: true },
};
let palette: InstanceType<typeof import('../../renderer/palette.svelte.ts').PaletteState>;
let stop = (): void => undefined;
beforeAll(async () => {
  window.whetstoneIpc = {
    send(frame) {
      sent.push(frame);
      if (frame.type === 'call' && frame.path === 'runs.list') {
        const { archived } = frame.input as { archived?: boolean };
        const output = archived
          ? []
          : ['going', 'waiting', 'a', 'b', 'early'].map((id, at) => run(id, states[at]));
        queueMicrotask(() => answer({ type: 'reply', id: frame.id, output }));
      } else if (frame.type === 'call' && frame.path in outputs)
        queueMicrotask(() => answer({ type: 'reply', id: frame.id, output: outputs[frame.path] }));
    },
    listen(receive) {
      answer = receive;
      return () => undefined;
    },
  };
  const { session } = await import('../../renderer/lib/session.svelte.ts');
  const { PaletteState } = await import('../../renderer/palette.svelte.ts');
  palette = new PaletteState();
  const { router } = await import('../../renderer/lib/router.svelte.ts');
  const stops = [router.start(), session.start()];
  stop = () => stops.forEach((each) => each());
  await settled();
});
afterAll(() => stop());
const item = (title: string) => palette.items.find((each) => each.title === title);

describe('the rank of an entry', () => {
  const rank = (typed: string, ...entries: (readonly [title: string, note: string, group: string])[]) =>
    entries
      .map(([title, note, group]) => ({ title, score: paletteScore(typed, { title, note, group }) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ title }) => title);

  it('is highest for its whole title, then its beginning, its note, a later word, its group', () => {
    const run = ['base', 'sft, done', 'Runs'] as const;
    expect(
      rank('base', ['Train a base policy', '', 'Do'], ['base, step 2,400', 'policy', 'Models'], run),
    ).toEqual(['base', 'base, step 2,400', 'Train a base policy']);
    const method = ['Group Relative Policy Optimization', 'grpo', 'Methods'] as const;
    expect(rank('GRPO', ['other', 'grpo, done', 'Runs'], method)).toEqual([method[0], 'other']);
    expect(rank('models', run, ['tiny', 'llama', 'Models'])).toEqual(['tiny']);
  });
  it('needs every word, in any order and place', () => {
    expect(rank('done base', ['base', 'sft, done', 'Runs'], ['base', 'sft, failed', 'Runs'])).toHaveLength(1);
    expect(rank('nothing of that', ['base', 'sft', 'Runs'])).toEqual([]);
  });
});

describe('the command palette', () => {
  it('has entries only while it is open', () => {
    expect(palette.items).toEqual([]);
  });

  it('knows what the workspace holds, and opens it', async () => {
    palette.open = true;
    await palette.load();
    for (const [title, group, address] of [
      ['capitals', 'Datasets', '#/datasets/d'],
      ['my labels', 'Label sets', '#/label/l'],
      ['tiny-llama', 'Models', '#/models/m'],
      ['base, step 2,400', 'Models', '#/models/c'],
      ['Direct Preference Optimization', 'Methods', '#/methods/method/dpo'],
      ['Import a dataset', 'Do', '#/datasets'],
      ['Compare the last 2 finished runs', 'Do', '#/compare?runs=a%2Cb'],
      ['Back up this workspace', 'Do', '#/settings'],
      ['Home', 'Go to', '#/home'],
    ]) {
      expect(item(title)?.group, title).toBe(group);
      item(title)?.run();
      expect(location.hash, title).toBe(address);
    }
    expect(new Set(palette.items.map(({ id }) => id)).size, 'ids are unique').toBe(palette.items.length);
  });

  it('stops what runs or waits, and nothing else', () => {
    expect(item('Stop a')).toBeUndefined();
    expect(item('Remove waiting from the queue')).toBeDefined();
    item('Stop going')?.run();
    expect(sent.at(-1)).toMatchObject({ path: 'runs.stop', input: { id: 'going' } });
  });

  it('resumes what was stopped, and copies the run on the screen', async () => {
    expect(item('Resume a')).toBeUndefined();
    item('Resume early')?.run();
    await settled();
    expect(sent.some((frame) => frame.type === 'call' && frame.path === 'runs.resume')).toBe(true);
    expect(location.hash).toBe('#/runs/early');
    await settled();
    item('Copy early')?.run();
    expect(location.hash).toBe('#/runs/new?from=early');
    await settled();
    expect(item('Copy early')).toBeUndefined();
  });

  it('evolves the model on the screen, and no checkpoint whose run is unknown', async () => {
    expect(item('Evolve tiny-llama')).toBeUndefined();
    item('base, step 2,400')?.run();
    await settled();
    expect(palette.items.filter(({ id }) => id === 'do-evolve')).toEqual([]);
    item('tiny-llama')?.run();
    await settled();
    item('Evolve tiny-llama')?.run();
    expect(location.hash).toContain('#/runs/new?method=search-rounds&model=m');
    await settled();
  });

  it('starts the demo, or stops the one in progress', async () => {
    expect([item('Run the demo here') !== undefined, item('Stop the demo')]).toEqual([true, undefined]);
    const feed = sent.findLast((frame) => frame.type === 'open' && frame.path === 'demo.watch');
    answer({ type: 'value', id: feed?.id ?? -1, value: { ...idleDemo, state: 'running' } });
    await settled();
    expect(item('Run the demo here')).toBeUndefined();
    item('Stop the demo')?.run();
    expect(sent.at(-1)).toMatchObject({ path: 'demo.stop' });
  });
});
