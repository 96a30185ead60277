import { describe, expect, it } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { checkSpec, composers, rewards, specSchema } from '../../engine/index.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import type { RescoreProgress } from '../../preload/contract/rewards.ts';
import { choicesOf, type Stock } from '../../renderer/features/runs/form/stock.ts';
import { RescoreState } from '../../renderer/features/runs/rescore.svelte.ts';

const checkpoint = (id: string, head: Checkpoint['head'], method: string) =>
  ({ id, head, method, runName: id, step: 1, createdAt: 0 }) as Checkpoint;
const stock = {
  catalogue: {
    rewards: rewards.map((reward) => ({ ...reward, needs: [...reward.needs] })),
    composers: [...composers],
    methods: [
      { id: 'generative-verdict', produces: 'reward' },
      { id: 'sft', produces: 'policy' },
    ],
    spec: specSchema,
  },
  checkpoints: [
    checkpoint('a policy', 'next-token', 'sft'),
    checkpoint('a head', 'reward', 'bradley-terry'),
    checkpoint('a judge in words', 'next-token', 'generative-verdict'),
  ],
  models: [],
  datasets: [],
  labelSets: [],
} as unknown as Stock;

const opened = (own: readonly object[] = [{ id: 'length' }], onSaved?: () => void) => {
  const requests: {
    input: unknown;
    tell: (value: RescoreProgress) => void;
    end: (error?: unknown) => void;
    closed: boolean;
  }[] = [];
  const state = new RescoreState(
    'run',
    checkSpec({
      method: { id: 'grpo' },
      models: { policy: { kind: 'new', architecture: {}, tokenizer: { kind: 'characters' } } },
      task: { kind: 'world', id: 'toy/copy' },
      rewards: own,
    }),
    stock,
    {
      check: () =>
        Promise.reject(new WhetstoneError('invalid-input', 'too few', { where: 'rewards.0.weight' })),
      rescore: (input, tell, end = () => undefined) => {
        const one = { input, tell, end, closed: false };
        requests.push(one);
        return () => {
          one.closed = true;
        };
      },
    },
    onSaved,
  );
  return { state, requests };
};
const result = { rows: 1, saved: ['again/length'] } as unknown as NonNullable<RescoreProgress['result']>;

describe('scoring the answers of a run again', () => {
  it('starts with the rewards of the run, shows its progress, and keeps the result until the scorers change', () => {
    let kept = 0;
    const { state, requests } = opened(undefined, () => {
      kept += 1;
    });
    expect(state.rewards).toMatchObject([{ id: 'length' }]);
    state.start();
    expect([state.busy, requests[0].input]).toMatchObject([
      true,
      { runId: 'run', rewards: [{ id: 'length' }], save: false },
    ]);
    requests[0].tell({ done: 1, total: 4, result: null });
    expect(state.progress).toEqual({ done: 1, total: 4 });
    expect(state.secondsLeft).toBeGreaterThanOrEqual(0);
    requests[0].tell({ done: 1, total: 1, result });
    requests[0].end();
    expect([state.busy, state.result, state.isOld, kept]).toEqual([false, result, false, 1]);
    state.draft.set(['rewards', '0', 'weight'], 2);
    expect(state.isOld).toBe(true);
  });

  it('closes the feed when it is stopped, and shows errors', () => {
    const { state, requests } = opened();
    state.start();
    state.start();
    expect(requests).toHaveLength(1);
    state.stop();
    expect([state.busy, requests[0].closed]).toEqual([false, true]);
    state.start();
    requests[1].end(new WhetstoneError('unsupported', 'It began with a reward model.'));
    expect([state.busy, state.failure?.message]).toEqual([false, 'It began with a reward model.']);
  });

  it('sends no request without a scorer, and shows the problem at the field', async () => {
    const { state, requests } = opened();
    state.checkSoon();
    await expect.poll(() => state.error()?.where).toBe('rewards.0.weight');
    state.draft.set(['rewards'], undefined);
    state.checkSoon();
    state.start();
    expect([state.error(), requests.length]).toEqual([null, 0]);
  });

  it(
    'offers judges, including generative ones, to rewards that need one, and policies to rewards ' +
      'that use the likelihood of an answer',
    () => {
      const offered = (id: string, path: readonly string[]) =>
        choicesOf(stock, 'checkpointId', path, (at) =>
          at.join('.') === 'rewards.0.id' ? id : undefined,
        )?.map(({ value }) => value);
      expect(offered('reward-model', ['rewards', '0', 'params', 'checkpointId'])).toEqual([
        'a head',
        'a judge in words',
      ]);
      for (const id of ['implicit-reward', 'implicit-process-reward'])
        expect(offered(id, ['rewards', '0', 'params', 'reference', 'checkpointId'])).toEqual(['a policy']);
      expect(
        choicesOf(stock, 'checkpointId', ['models', 'policy', 'checkpointId'], () => undefined)?.map(
          ({ value }) => value,
        ),
      ).toEqual(['a policy', 'a judge in words']);
    },
  );
});
