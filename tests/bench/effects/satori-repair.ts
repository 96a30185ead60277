import { stream } from '../../../engine/random/random.ts';
import { promptIdOf } from '../../../engine/random/hash.ts';
import { mean, type Effect } from './effect.ts';
import { from, imitation, smallPolicy, unmeasured } from './shared.ts';

const task = {
  kind: 'world',
  id: 'arithmetic',
  params: { oneStep: 1, twoSteps: 0, smallestOperand: 0, largestOperand: 6, largestValue: 36 },
} as const;
const sampling = { maxTokens: 16 };

/** Sums and differences of two numbers with a worked line that is off by one to three. */
const slips = (seed: number) =>
  Array.from({ length: 200 }, (_, at) => {
    const draw = stream(seed, 'slips', at);
    const [a, b, sign] = [draw.int(7), draw.int(7), draw.pick([1, -1])];
    const value = a + sign * b;
    const expression = `${a}${sign > 0 ? '+' : '-'}${b}`;
    const prompt = `${expression}=?${expression}=${value + (1 + draw.int(3)) * draw.pick([1, -1])}\n`;
    return {
      promptId: promptIdOf(prompt),
      prompt,
      reference: String(value),
      correct: null,
      answer: `#${value}`,
    };
  });

/**
 * A policy that has imitated worked answers, of which more than a quarter carry a slip to their end, continues a
 * slip. Both sides learn by PPO with equal batches; the method begins half of them inside own answers, and so
 * samples fewer tokens.
 */
export const satoriRepair: Effect = {
  id: 'satori-repair',
  cluster: 4,
  system: 'satori',
  title:
    'Restarts from own wrong answers, with a bonus for repairs, teach a policy to recover from a slip ' +
    '(short arithmetic, a wrong first line given)',
  cites: 'arXiv:2502.02508',
  method: 'satori: a quarter of a batch in good beginnings, a quarter in bad ones',
  baseline: 'ppo, klWeight 0',
  measure: 'share of right final answers behind a wrong first line, 200 problems, 2 answers each',
  better: 'higher',
  data: (seed) => ({ slips: slips(seed) }),
  plan: (seed, { slips: datasetId }) => {
    const learned = (method: object) => ({
      method,
      task,
      models: from('base'),
      optimizer: { learningRate: 1e-3, schedule: 'constant' },
      budget: { steps: 400, batch: 96 },
      sampling,
      evaluation: { problems: 100, samples: 2 },
      seed: seed + 100,
    });
    const repaired = (node: string) => ({
      method: { id: 'sample', params: { groupSize: 2 } },
      task: { kind: 'dataset', datasetId, heldout: 0, onlyCorrect: false },
      models: from(node),
      rewards: [{ id: 'match/pattern', params: { pattern: '#(-?\\d+)$' } }],
      budget: { steps: 1, batch: 200 },
      sampling,
      evaluation: unmeasured,
      seed,
    });
    const ppo = { lambda: 0.95, entropyWeight: 0.01, epochs: 2, clip: 0.2 };
    return {
      nodes: [
        {
          id: 'base',
          spec: {
            ...imitation(250),
            models: smallPolicy(64, 48),
            task,
            sampling,
            evaluation: unmeasured,
            seed,
          },
        },
        { id: 'method', spec: learned({ id: 'satori', params: { ...ppo, depth: 1, refresh: 1 } }) },
        { id: 'method-repair', spec: repaired('method') },
        { id: 'baseline', spec: learned({ id: 'ppo', params: { ...ppo, klWeight: 0 } }) },
        { id: 'baseline-repair', spec: repaired('baseline') },
      ],
    };
  },
  number: async (runs) => {
    const answers = await runs.answers('sample', `${runs.side}-repair`);
    if (process.env.TUNE) console.error(runs.side, (await runs.evaluation(runs.side)).gold);
    return mean(answers.map(({ scores }) => scores['match/pattern']));
  },
};
