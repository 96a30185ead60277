import { beforeAll, describe, expect, it } from 'vitest';
import { taskKinds } from '../../engine/index.ts';
import type { SelfTestRow } from '../../engine/schema/self-test.ts';
import type { ToPage, ToServices } from '../../preload/wire/wire.ts';
import { foundMethods, type Catalogue } from '../../renderer/lib/methods.ts';

const sent: ToServices[] = [];
let answer: (frame: ToPage) => void = () => undefined;
let SelfTestState: typeof import('../../renderer/views/self-test.svelte.ts').SelfTestState;
beforeAll(async () => {
  window.whetstoneIpc = {
    send: (frame) => {
      sent.push(frame);
    },
    listen: (tell) => {
      answer = tell;
      return () => undefined;
    },
  };
  const { session } = await import('../../renderer/lib/session.svelte.ts');
  ({ SelfTestState } = await import('../../renderer/views/self-test.svelte.ts'));
  session.start();
});

const row = (id: string, ok: boolean): SelfTestRow => ({
  id,
  title: id,
  owner: 'kernel',
  expected: [1],
  got: [ok ? 1 : 2],
  tolerance: 0.1,
  ok,
  error: null,
});
const opened = () => sent.findLast((frame) => 'path' in frame && frame.path === 'system.selfTest')?.id ?? -1;

describe('the self-test', () => {
  it('collects rows as they arrive, and counts those that fail', () => {
    const view = new SelfTestState();
    view.start();
    answer({
      type: 'value',
      id: opened(),
      value: { rows: [row('a', true), row('b', false)], done: 2, total: 3 },
    });
    expect([view.running, view.rows.length, view.failed, view.total]).toEqual([true, 2, 1, 3]);
    answer({ type: 'value', id: opened(), value: { rows: [row('c', true)], done: 3, total: 3 } });
    answer({ type: 'end', id: opened() });
    expect([view.running, view.rows.map(({ id }) => id), view.error]).toEqual([false, ['a', 'b', 'c'], null]);
  });

  it('closes the feed when it is stopped, keeps the received rows, and can be restarted', () => {
    const view = new SelfTestState();
    view.start();
    const id = opened();
    answer({ type: 'value', id, value: { rows: [row('a', true)], done: 1, total: 3 } });
    view.stop();
    expect(sent.at(-1)).toMatchObject({ id, type: 'close' });
    expect([view.running, view.rows.length]).toEqual([false, 1]);
    view.start();
    expect([view.running, view.rows.length]).toEqual([true, 0]);
  });
});

describe('the method picker', () => {
  const method = (id: string, more: Partial<Catalogue['methods'][number]> = {}) =>
    ({
      id,
      title: id.toUpperCase(),
      summary: '',
      cites: 'arXiv:1',
      task: 'verifiable',
      produces: 'policy',
      params: {},
      suggested: {},
      presets: {},
      stations: [],
      ...more,
    }) as Catalogue['methods'][number];
  const methods = [
    method('online-dpo'),
    method('grpo', { cites: 'arXiv:2402.03300', presets: { 'dr-grpo': {} }, stations: ['sampleGroups(8)'] }),
    method('sft', { task: 'demonstrations', summary: 'not like dpo' }),
    method('dpo', { task: 'preferences' }),
  ];
  const ids = (text: string) =>
    foundMethods({ methods, taskKinds: [...taskKinds] }, text).map(({ task, methods: own }) => [
      task,
      ...own.map(({ id }) => id),
    ]);

  it('groups methods by task', () =>
    expect(ids('')).toEqual([
      ['demonstrations', 'sft'],
      ['preferences', 'dpo'],
      ['verifiable', 'online-dpo', 'grpo'],
    ]));
  it('finds methods by paper, by preset, by part, and by several words', () => {
    for (const text of ['2402.03300', 'Dr-GRPO', 'samplegroups', '2402 grpo'])
      expect(ids(text), text).toEqual([['verifiable', 'grpo']]);
    expect(ids('nothing')).toEqual([]);
  });
});
