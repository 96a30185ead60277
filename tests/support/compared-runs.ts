import { evaluatePolicy } from '../../engine/index.ts';
import { hashFraction } from '../../engine/random/hash.ts';
import type { EventBody } from '../../engine/schema/messages.ts';
import { RunSpec, type RunSpecInput } from '../../engine/schema/run-spec.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { teller } from './tell.ts';
import { trajectory } from './trajectory.ts';

/** A run to plant: the share of problems that it solves, and what it answers. */
export interface Planted {
  readonly name: string;
  readonly spec?: Partial<RunSpecInput>;
  /** Problems `from` … `to` − 1 of the task. */
  readonly problems: readonly [from: number, to: number];
  /** Number of draws of a problem in the evaluation; 1 by default. */
  readonly draws?: (problem: number) => number;
  /** True if the answer is right. */
  readonly right: (problem: number, sample: number) => boolean;
  /** Metrics of every step. */
  readonly metrics?: (step: number) => Readonly<Record<string, number>>;
}

export const SAMPLES = 4;
const STEP = 20;
/** Problem ids, as text and in order. */
export const problemId = (problem: number): string => `p${String(problem).padStart(3, '0')}`;
/** Right with chance `rate`, the same in every call. */
export const rightAt =
  (seed: string, rate: number) =>
  (problem: number, sample: number): boolean =>
    hashFraction(`${seed} ${problem} ${sample}`) < rate;

/** Stores finished runs with the answers of their evaluations; returns their ids in order. */
export async function plantRuns(store: StoreClient, runs: readonly Planted[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, spec, problems, draws = () => 1, right, metrics } of runs) {
    const { id } = await store.runs.create(
      RunSpec.parse({
        name,
        method: { id: 'sft' },
        task: { kind: 'world', id: 'toy/copy' },
        models: {
          policy: { kind: 'new', architecture: { width: 16 }, tokenizer: { kind: 'characters' } },
        },
        ...spec,
      }),
      [],
    );
    ids.push(id);
    await store.runs.beginAttempt(id, null);
    const tell = teller(store, id, 1);
    if (metrics)
      for (let step = 1; step <= STEP; step += 1)
        await tell(step, { type: 'metrics', values: { ...metrics(step) } });
    const [from, to] = problems;
    if (to > from) await tell(STEP, ...evaluationOf(id, { problems, draws, right }));
    await store.runs.setState(id, 'done');
  }
  return ids;
}

/** The answers of an evaluation and its result. */
function evaluationOf(
  runId: string,
  { problems: [from, to], draws, right }: Required<Pick<Planted, 'problems' | 'draws' | 'right'>>,
): EventBody[] {
  const different = Array.from({ length: to - from }, (_none, at) => from + at);
  const all = different.flatMap((problem) => Array.from({ length: draws(problem) }, () => problem));
  const of = (problem: number) => Array.from({ length: SAMPLES }, (_none, sample) => right(problem, sample));
  const answersOf = (problem: number) => Array.from({ length: draws(problem) }, () => of(problem)).flat();
  const rows = different.flatMap((problem) =>
    answersOf(problem).map((isRight, sample) => ({
      ...trajectory({ id: `${runId} ${problem} ${sample}` }),
      promptId: problemId(problem),
      prompt: `copy the letters number ${problem}`,
      completion: isRight ? `the letters of ${problem}` : `some letters of ${problem + 1}`,
      sample,
      step: STEP,
      purpose: 'evaluation' as const,
      scores: { verifier: isRight ? 1 : 0 },
    })),
  );
  const value = evaluatePolicy({
    step: STEP,
    problems: all.map((problem) => ({
      promptId: problemId(problem),
      greedyCorrect: right(problem, 0),
      answers: of(problem).map((correct) => ({
        correct,
        gold: Number(correct),
        proxy: null,
        tokens: 2,
        truncated: false,
        logRatio: null,
      })),
    })),
  });
  return [
    { type: 'trajectories', rows },
    { type: 'result', kind: 'evaluation', value },
  ];
}

/** A base, two seeds of a better method, a run on other problems, and one without an evaluation. */
export const comparedRuns: readonly Planted[] = [
  {
    name: 'base',
    problems: [0, 200],
    right: rightAt('base', 0.3),
    metrics: (step) => ({ loss: 2 / step, kl: 0 }),
  },
  ...[0, 1].map((seed): Planted => ({
    name: `better seed ${seed}`,
    spec: { seed, optimizer: { learningRate: 1e-3 } },
    problems: [0, 200],
    right: rightAt(`better ${seed}`, 0.55 + 0.02 * seed),
    metrics: (step) => ({
      loss: (1 + seed) / step,
      kl: 0.01 * step,
      tokens_per_second: 100,
      'seconds/step': 2,
    }),
  })),
  {
    name: 'elsewhere',
    spec: { optimizer: { learningRate: 2e-3 } },
    problems: [150, 300],
    right: rightAt('base', 0.3),
  },
  { name: 'unevaluated', spec: { budget: { steps: 3 } }, problems: [0, 0], right: () => false },
];
