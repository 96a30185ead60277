/** Test-time search on arithmetic: what each rule gains over the majority vote at N = 4 … 64 answers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkSpec } from '../../engine/index.ts';
import { openDevice } from '../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { SearchCurve, SearchStrategy } from '../../engine/schema/search.ts';
import { lastCheckpoint, noResources, runInto, type Seen } from '../support/toy-run.ts';
import { rounded, say } from './figures.ts';

interface SearchBench {
  readonly threads: number;
  readonly seed: number;
  /** Seconds in place of minutes: too short to mean anything. */
  readonly tiny: boolean;
}

/** Easy enough that a model of one to two minutes is often right. */
const task = {
  kind: 'world',
  id: 'arithmetic',
  params: { oneStep: 0.5, twoSteps: 0.5, largestOperand: 9 },
} as const;
const sampling = { maxTokens: 48 };

const curveOf = (seen: readonly Seen[]): SearchCurve => {
  const found = seen.findLast((event) => event.type === 'result' && event.kind === 'search');
  if (found?.type !== 'result' || found.kind !== 'search') throw new Error('the search has no curve');
  return found.value;
};

const pointsOf = ({ id, points }: SearchStrategy) => {
  const shown = points.filter(({ n }) => n === 1 || n >= 4);
  const texts = shown.map(({ n, accuracy, gain }) => {
    const paired = gain
      ? `, minus majority ${[gain.difference, ...gain.interval].map((x) => rounded(x))}`
      : '';
    return `${n}: ${rounded(accuracy)}${paired}`;
  });
  say(`${id.padEnd(32)} ${texts.join('; ')}`);
  return {
    id,
    points: shown.map(({ n, tokens, accuracy, interval, gain }) => ({
      n,
      tokens: rounded(tokens, 3),
      accuracy: rounded(accuracy, 3),
      interval: interval.map((bound) => rounded(bound, 4)),
      gain: gain && {
        difference: rounded(gain.difference, 4),
        interval: gain.interval.map((bound) => rounded(bound, 4)),
      },
    })),
  };
};

const models: RunSpecInput['models'] = {
  policy: {
    kind: 'new',
    architecture: { width: 64, layers: 2, heads: 4, context: 80 },
    tokenizer: { kind: 'characters' },
  },
};
const reward = (combine: string) => ({ id: 'reward-model', params: { checkpointId: 'verifier', combine } });

type Ran = (
  name: string,
  spec: RunSpecInput,
  checkpoints?: { readonly [id: string]: string },
) => Promise<{ readonly seen: readonly Seen[]; readonly seconds: number }>;

/** A policy on worked arithmetic, of which 28 % is wrong, and a process verifier on the marks of its lines. */
const trained = async (ran: Ran, steps: number) => {
  const common = {
    models,
    task,
    sampling,
    optimizer: { learningRate: 4e-3, schedule: 'cosine', warmup: 20 },
    budget: { steps, batch: 48 },
    evaluation: { problems: 0 },
  } satisfies Partial<RunSpecInput>;
  const policy = await ran('policy', { ...common, method: { id: 'sft' } });
  const verifier = await ran('verifier', { ...common, method: { id: 'process-verifier' } });
  return {
    checkpoints: { policy: lastCheckpoint(policy.seen), verifier: lastCheckpoint(verifier.seen) },
    seconds: { policy: rounded(policy.seconds, 3), verifier: rounded(verifier.seconds, 3) },
  };
};

/** Both searches for answers to 200 held-out problems. */
const searched = async (ran: Ran, checkpoints: { readonly [id: string]: string }, tiny: boolean) => {
  const common = {
    models: { policy: { kind: 'checkpoint', checkpointId: 'policy' } },
    task,
    sampling,
    budget: { steps: tiny ? 1 : 4, batch: tiny ? 10 : 50 },
  } satisfies Partial<RunSpecInput>;
  const beam = await ran(
    'beam',
    {
      ...common,
      method: { id: 'search-beam', params: { groupSize: tiny ? 4 : 32 } },
      rewards: [reward('min')],
    },
    checkpoints,
  );
  const choose = await ran(
    'search',
    {
      ...common,
      method: { id: 'search', params: { groupSize: tiny ? 4 : 64 } },
      rewards: [reward('min'), reward('product')],
    },
    checkpoints,
  );
  return { beam, choose };
};

/** Trains a policy and a process verifier for a minute or two each, then searches with up to 64 answers. */
export const measureSearch = async ({ threads, seed, tiny }: SearchBench) => {
  const device = await openDevice({ id: 'cpu', threads });
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-search-'));
  const ran: Ran = async (name, spec, checkpoints = {}) => {
    const began = performance.now();
    const { seen } = await runInto(device, checkSpec({ ...spec, seed }), join(folder, name), {
      resources: { ...noResources, checkpoints },
    });
    const seconds = (performance.now() - began) / 1000;
    say(`${name}: ${rounded(seconds, 3)} s`);
    return { seen, seconds };
  };
  try {
    const steps = tiny ? 20 : 600;
    const { checkpoints, seconds } = await trained(ran, steps);
    const { beam, choose } = await searched(ran, checkpoints, tiny);
    const { problems, samples, unread, strategies } = curveOf(choose.seen);
    return {
      seed,
      steps,
      problems,
      samples,
      unread: rounded(unread, 4),
      seconds: { ...seconds, search: rounded(choose.seconds, 3), beam: rounded(beam.seconds, 3) },
      // the second reward model is the same one with the product of its steps
      rules: strategies.map(pointsOf),
      beam: pointsOf(curveOf(beam.seen).strategies[0]).points,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
