import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Run } from '../../preload/contract/runs.ts';
import type { ToPage, ToServices } from '../../preload/wire/wire.ts';

/** An in-memory desktop transport: records the frames that the page sends, and lets the test answer. */
const sent: ToServices[] = [];
let answer: (frame: ToPage) => void = () => undefined;
let session: typeof import('../../renderer/lib/session.svelte.ts').session;
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
  ({ session } = await import('../../renderer/lib/session.svelte.ts'));
});

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
const workspace = (id: string) => ({ id, name: id, path: `/${id}`, createdAt: 0 });
const run = (id: string, name: string) =>
  ({ id, name, method: 'sft', state: 'done', archived: false, createdAt: 0 }) as Run;
const newest = (path: string) => sent.findLast((frame) => 'path' in frame && frame.path === path)?.id ?? -1;
/** Answers the two newest list requests (kept, archived). */
const answerLists = async (kept: readonly Run[]) => {
  const [a, b] = sent.filter((frame) => 'path' in frame && frame.path === 'runs.list').slice(-2);
  answer({ type: 'reply', id: a.id, output: kept });
  answer({ type: 'reply', id: b.id, output: [] });
  await settled();
};
const names = () => [...session.runs.values()].map(({ name }) => name).sort();

describe('a run on the screen', () => {
  type MetricsInput = { readonly names: string[]; readonly from?: number };
  /** Answers the requests of a run's view until there are no more; metrics have points at steps 1 and 2. */
  const answering = (names: readonly string[]) => {
    const outputs: { readonly [path: string]: (input: unknown) => unknown } = {
      'runs.metricNames': () => names,
      'runs.checkpoints': () => [],
      'runs.results': () => [],
      'runs.samples': () => ({ total: 0, samples: [] }),
      'runs.metrics': (input) =>
        (input as MetricsInput).names.map((name) => ({
          runId: 'run',
          name,
          steps: Float64Array.of(1, 2),
          values: Float64Array.of(1, 2),
          at: Float64Array.of(0, 0),
        })),
    };
    let from = sent.length;
    /** Returns the inputs of the requests for metrics. */
    return async (): Promise<MetricsInput[]> => {
      const start = from;
      for (let turn = 0; turn < 5; turn++) {
        const frames = sent.slice(from);
        from = sent.length;
        for (const frame of frames)
          if (frame.type === 'call' && frame.path in outputs)
            answer({ type: 'reply', id: frame.id, output: outputs[frame.path](frame.input) });
        await settled();
      }
      return sent
        .slice(start)
        .flatMap((frame) =>
          frame.type === 'call' && frame.path === 'runs.metrics' ? [frame.input as MetricsInput] : [],
        );
    };
  };
  const view = async () => {
    onTestFinished(session.start());
    const { RunState } = await import('../../renderer/views/runs.svelte.ts');
    return new RunState('run');
  };

  it('shows the curves of all its metrics, however many', async () => {
    const names = Array.from({ length: 130 }, (_, i) => `metric/${i}`);
    const shown = await view();
    const answered = answering(names);
    onTestFinished(shown.follow());
    expect((await answered()).map((input) => input.names.length)).toEqual([64, 64, 2]);
    expect(shown.curves.map(({ name }) => name)).toEqual(names);
  });

  it('requests points when the run changes, from the last step that it has read', async () => {
    const shown = await view();
    const answered = answering(['loss']);
    onTestFinished(shown.follow());
    expect((await answered()).map(({ from }) => from)).toEqual([0]);
    const froms: (number | undefined)[] = [];
    for (const [state, step] of [
      ['running', 2],
      ['done', 3],
    ] as const) {
      const changed = { ...run('run', 'a run'), state, attempt: 1, step } as Run;
      answer({ type: 'value', id: newest('runs.live'), value: { run: changed, newSamples: 0 } });
      await settled();
      froms.push(...(await answered()).map(({ from }) => from));
    }
    // the attempt is unknown before the first value
    expect(froms).toEqual([0, 2]);
  });
});

describe('the session', () => {
  it('keeps a change that arrives before the list, and prefers it to the list', async () => {
    onTestFinished(session.start());
    void session.enter(workspace('one'));
    await settled();
    const order = sent.flatMap((frame) =>
      'path' in frame && frame.path.startsWith('runs.') ? [frame.path] : [],
    );
    expect(order.indexOf('runs.watch')).toBeLessThan(order.indexOf('runs.list'));
    answer({
      type: 'value',
      id: newest('runs.watch'),
      value: { runs: [run('a', 'a, later'), run('new', 'new')], removed: ['b'] },
    });
    await answerLists([run('a', 'a, before'), run('b', 'b')]);
    expect(names()).toEqual(['a, later', 'new']);
    answer({ type: 'value', id: newest('runs.watch'), value: { runs: [], removed: ['new'] } });
    expect(names()).toEqual(['a, later']);
  });

  it('removes runs that were deleted during a disconnection', async () => {
    void session.enter(workspace('one'));
    await answerLists([run('c', 'c')]);
    expect(names()).toEqual(['c']);
  });

  it('shows the workspace that was entered last, in whatever order the lists arrive', async () => {
    void session.enter(workspace('two'));
    const slow = sent.filter((frame) => 'path' in frame && frame.path === 'runs.list').slice(-2);
    void session.enter(workspace('three'));
    await answerLists([run('three', 'of three')]);
    for (const { id } of slow) answer({ type: 'reply', id, output: [run('two', 'of two')] });
    await settled();
    expect([session.workspace?.id, names()]).toEqual(['three', ['of three']]);
  });
});
