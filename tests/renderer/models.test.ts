import { describe, expect, it } from 'vitest';
import type { WorldFacts } from '../../engine/schema/atlas.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { RunSpec, type RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { Model } from '../../preload/contract/models.ts';
import type { TriedPrompt } from '../../engine/schema/tried-prompt.ts';
import type { Checkpoint, Run } from '../../preload/contract/runs.ts';
import { ExportState } from '../../renderer/features/models/export.svelte.ts';
import { madeFrom, originsOf } from '../../renderer/features/models/lineage.ts';
import { needsOf } from '../../renderer/features/models/needs.ts';
import { TryState } from '../../renderer/features/models/try.svelte.ts';
import { compact } from '../../renderer/lib/format.ts';
import { modelFacts } from '../support/model-facts.ts';

type Try = WhetstoneClient['models']['try'];
const answer: TriedPrompt = {
  promptTokens: 3,
  tokens: [
    { by: 'model', text: 'a', logp: -1, ends: false },
    { by: 'model', text: '', logp: -3, ends: true },
  ],
  verdict: null,
  stopReason: 'end',
  seconds: 0.1,
};

/** A feed whose replies the test sends. */
function port() {
  const requests: { input: Parameters<Try>[0]; value: Parameters<Try>[1]; end: (error?: unknown) => void }[] =
    [];
  let released = 0;
  const models: { try: Try } = {
    try: (input, value, end = () => undefined) => {
      requests.push({ input, value, end });
      return () => {
        released += 1;
      };
    },
  };
  return { models, requests, released: () => released };
}

describe('trying a prompt', () => {
  it('sends one request, shows token probabilities, and samples another answer with the next seed', () => {
    const { models, requests } = port();
    const attempt = new TryState({ kind: 'model', id: 'm' }, models);
    attempt.ask();
    expect(requests).toHaveLength(0);
    attempt.prompt = 'q';
    attempt.ask();
    attempt.ask();
    expect([requests.length, attempt.busy]).toEqual([1, true]);
    requests[0].value(answer);
    requests[0].end();
    expect([attempt.busy, attempt.logp, attempt.perplexity]).toEqual([false, -4, Math.exp(2)]);
    attempt.move(5);
    expect(attempt.chosen).toBe(1);
    attempt.chat = false;
    attempt.another();
    expect(requests[1].input).toMatchObject({ from: { kind: 'model', id: 'm' }, seed: 1, put: 'plain' });
  });
  it('closes the feed when cancelled; an error stays until the next try', () => {
    const { models, requests, released } = port();
    const attempt = new TryState({ kind: 'checkpoint', id: 'c' }, models);
    attempt.prompt = 'q';
    attempt.ask();
    attempt.cancel();
    expect([released(), attempt.busy]).toEqual([1, false]);
    attempt.ask();
    requests[1].end(new WhetstoneError('invalid-input', 'too long'));
    expect([attempt.busy, attempt.error?.message]).toEqual([false, 'too long']);
    attempt.ask();
    expect(attempt.error).toBeNull();
  });
  it(
    'draws problems of the world that the model was trained on, one after another; excludes the replies ' +
      'of the world from the statistics',
    async () => {
      const { models, requests } = port();
      const drawn: unknown[] = [];
      const worldSample = (input: unknown) => {
        drawn.push(input);
        return Promise.resolve({
          problem: { prompt: `problem ${drawn.length}`, reference: '7', level: 1 },
          demonstrations: [],
        });
      };
      const attempt = new TryState(
        { kind: 'checkpoint', id: 'c' },
        { ...models, worldSample },
        { id: 'grid', params: { moves: 1 } },
        [{ id: 'grid', maxTokens: 300 } as WorldFacts],
      );
      expect([attempt.world, attempt.maxTokens.value]).toEqual(['grid', 300]);
      await attempt.draw();
      await attempt.draw();
      expect([attempt.prompt, attempt.expected, drawn]).toMatchObject([
        'problem 2',
        '7',
        [{ world: { id: 'grid', params: { moves: 1 } }, split: 'heldout', index: 0 }, { index: 1 }],
      ]);
      attempt.ask();
      requests[0].value({
        ...answer,
        tokens: [answer.tokens[0], { by: 'world', text: 'a reply', logp: 0, ends: false }, answer.tokens[1]],
      });
      expect([requests[0].input.world, attempt.written, attempt.perplexity]).toEqual([
        { id: 'grid', params: { moves: 1 } },
        2,
        Math.exp(2),
      ]);
      attempt.cancel();
      attempt.chooseWorld('', undefined);
      attempt.ask();
      expect(requests[1].input).not.toHaveProperty('world');
    },
  );
});

describe('the memory that a model needs', () => {
  it('is computed from its sizes', () => {
    const facts = modelFacts({ parameters: 1_000_000, layers: 2, width: 16, context: 64, vocabulary: 1000 });
    const [sample, full, lora, qlora] = needsOf(facts).map(({ bytes }) => bytes);
    expect([sample, full]).toEqual([4_000_000 + 2 * 2 * 16 * 64 * 4, 16_000_000]);
    expect(lora).toBe(4_000_000 + 16 * (2 * 4 * 2 * 16 * 8));
    expect(qlora).toBe(64_000 + 984_000 * 0.625 + 16 * (2 * 4 * 2 * 16 * 8));
    expect(needsOf({ ...facts, head: 'reward' })[0]).toMatchObject({ what: 'To score', bytes: 4_000_000 });
  });
  it('is formatted briefly', () => {
    expect([950, 12_345, 124_439_808, 999_999, 1.5e9].map(compact)).toEqual([
      '950',
      '12.3 k',
      '124 M',
      '1 M',
      '1.5 B',
    ]);
  });
});

describe('the origin of a checkpoint', () => {
  const checkpoint = (id: string, runId: string) =>
    ({ id, runId, runName: runId, method: 'sft', step: 5 }) as Checkpoint;
  const run = (id: string, policy: RunSpecInput['models']['policy'], lineage: Partial<Run['lineage']> = {}) =>
    ({
      id,
      name: id,
      method: 'sft',
      spec: RunSpec.parse({
        method: { id: 'sft' },
        task: { kind: 'world', id: 'toy/copy' },
        models: { policy },
      }),
      lineage: { checkpoints: [], datasets: [], labelSets: [], models: [], ...lineage },
    }) as unknown as Run;
  const checkpoints = [checkpoint('c1', 'base'), checkpoint('c2', 'tuned')];
  const runs = [
    run('base', { kind: 'model', modelId: 'm' }, { models: ['m'] }),
    run('tuned', { kind: 'checkpoint', checkpointId: 'c1' }, { checkpoints: ['c1'] }),
  ];
  const runOf = (id: string) => runs.find((each) => each.id === id);
  const models = [{ ...modelFacts(), id: 'm', createdAt: 0 } as Model];

  it('is traced to an added folder, through every run', () => {
    expect(
      originsOf('c2', { checkpoints, models, runOf }).map(({ title, address }) => [title, address]),
    ).toEqual([
      ['tuned', ['runs', 'tuned']],
      ['base, step 5', ['models', 'c1']],
      ['base', ['runs', 'base']],
      ['tiny', ['models', 'm']],
    ]);
    expect(madeFrom('m', runs).map(({ id }) => id)).toEqual(['base']);
    expect(madeFrom('c1', runs).map(({ id }) => id)).toEqual(['tuned']);
  });
  it('names deleted steps', () => {
    expect(originsOf('c2', { checkpoints: checkpoints.slice(1), models: [], runOf }).at(-1)).toMatchObject({
      note: 'a checkpoint that was deleted',
      address: null,
    });
    expect(originsOf('c1', { checkpoints, models: [], runOf }).at(-1)).toMatchObject({
      note: 'an added folder that was removed',
      address: null,
    });
  });
});

describe('an export', () => {
  type Export = WhetstoneClient['models']['export'];
  const opened = () => {
    const requests: {
      tell: Parameters<Export>[1];
      end: NonNullable<Parameters<Export>[2]>;
      closed: boolean;
    }[] = [];
    const state = new ExportState({ kind: 'model', id: 'm' }, () => false, {
      export: (_input, tell, end = () => undefined) => {
        const one = { tell, end, closed: false };
        requests.push(one);
        return () => {
          one.closed = true;
        };
      },
    });
    state.to = '/models/mine';
    return { state, requests };
  };

  it('shows its progress, and ends with its path', async () => {
    const { state, requests } = opened();
    const done = state.write();
    expect([state.task.busy, state.share]).toEqual([true, null]);
    requests[0].tell({ written: 1, total: 4, result: null });
    expect(state.share).toBe(0.25);
    requests[0].tell({ written: 5, total: 5, result: { path: '/models/mine', bytes: 5, parameters: 1 } });
    requests[0].end();
    await done;
    expect([state.task.busy, state.progress, state.result, state.stopped]).toMatchObject([
      false,
      null,
      { path: '/models/mine' },
      false,
    ]);
  });

  it('closes the feed when it is stopped, and can be repeated', async () => {
    const { state, requests } = opened();
    const done = state.write();
    state.stop();
    await done;
    expect([requests[0].closed, state.task.busy, state.result, state.stopped]).toEqual([
      true,
      false,
      null,
      true,
    ]);
    const again = state.write();
    requests[1].end(new WhetstoneError('disk-full', 'There is no room left.'));
    await again;
    expect([state.stopped, state.task.error?.kind]).toEqual([false, 'disk-full']);
  });
});
