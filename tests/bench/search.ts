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

const task = { kind: 'world', id: 'arithmetic' } as const;
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
      tokens: rounded(tokens, 1),
      accuracy: rounded(accuracy, 4),
      interval: interval.map((bound) => rounded(bound, 4)),
      gain: gain && {
        difference: rounded(gain.difference, 4),
        interval: gain.interval.map((bound) => rounded(bound, 4)),
      },
    })),
  };
};

/**
 * Fine-tunes a small model on worked arithmetic, of which 28 % is wrong, and a process verifier on the marks of
 * the same lines; then searches with 64 answers to 200 held-out problems.
 */
export const measureSearch = async ({ threads, seed, tiny }: SearchBench) => {
  const device = await openDevice({ id: 'cpu', threads });
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-search-'));
  const models: RunSpecInput['models'] = {
    policy: {
      kind: 'new',
      architecture: { width: 64, layers: 2, heads: 4, context: 80 },
      tokenizer: { kind: 'characters' },
    },
  };
  const ran = async (name: string, spec: RunSpecInput, checkpoints = {}) => {
    const began = performance.now();
    const { seen } = await runInto(device, checkSpec({ ...spec, seed }), join(folder, name), {
      resources: { ...noResources, checkpoints },
    });
    const seconds = (performance.now() - began) / 1000;
    say(`${name}: ${rounded(seconds, 1)} s`);
    return { seen, seconds };
  };
  try {
    const common = {
      models,
      task,
      sampling,
      optimizer: { learningRate: 3e-3, schedule: 'cosine' },
      evaluation: { problems: 0 },
    } satisfies Partial<RunSpecInput>;
    const steps = tiny ? 20 : 700;
    const policy = await ran('sft', { ...common, method: { id: 'sft' }, budget: { steps, batch: 48 } });
    const verifier = await ran('verifier', {
      ...common,
      method: { id: 'process-verifier' },
      budget: { steps, batch: 48 },
    });
    const reward = (combine: string) => ({
      id: 'reward-model',
      params: { checkpointId: 'verifier', combine },
    });
    const found = await ran(
      'search',
      {
        method: { id: 'search', params: { groupSize: tiny ? 4 : 64 } },
        models: { policy: { kind: 'checkpoint', checkpointId: 'policy' } },
        task,
        sampling,
        rewards: [reward('min'), reward('product')],
        budget: { steps: tiny ? 1 : 4, batch: tiny ? 10 : 50 },
      },
      { policy: lastCheckpoint(policy.seen), verifier: lastCheckpoint(verifier.seen) },
    );
    const { problems, samples, unread, strategies } = curveOf(found.seen);
    return {
      seed,
      steps,
      problems,
      samples,
      unread: rounded(unread, 4),
      seconds: {
        policy: rounded(policy.seconds, 1),
        verifier: rounded(verifier.seconds, 1),
        search: rounded(found.seconds, 1),
      },
      // the second reward model is the same one with the product of its steps
      rules: strategies.map(pointsOf),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
