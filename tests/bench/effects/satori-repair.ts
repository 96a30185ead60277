import { promptIdOf } from '../../../engine/random/hash.ts';
import { stream, type RandomStream } from '../../../engine/random/random.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { mean, type Effect } from './effect.ts';
import { from, unmeasured } from './shared.ts';

const MARK = '~';
const task = {
  kind: 'world',
  id: 'arithmetic',
  params: {
    oneStep: 1,
    twoSteps: 0,
    smallestOperand: 0,
    largestOperand: 6,
    largestValue: 36,
    wrong: 0,
    rambling: 0,
  },
} as const;
const sampling = { maxTokens: 24 };
const world = openWorldById(task.id, task.params);

/** A problem with its worked line, and the same line with a slip of one to three. */
const problem = (at: number, seed: number, draw: RandomStream) => {
  const { prompt, reference } = world.problem('train', at, seed);
  const begun = prompt.replace('?', '');
  const slip = Number(reference) + (1 + draw.int(3)) * draw.pick([1, -1]);
  return { prompt, reference, slip, wrong: `${begun}${slip}\n`, right: `${begun}${reference}\n` };
};

/** Worked answers: a fifth carry a slip to the end, a tenth look again at it, the others are right at once. */
const worked = (seed: number) =>
  Array.from({ length: 1000 }, (_, at) => {
    const draw = stream(seed, 'worked', at);
    const { prompt, reference, slip, wrong, right } = problem(at, seed, draw);
    const u = draw.next();
    if (u < 0.2) return { prompt, answer: `${wrong}#${slip}` };
    return { prompt, answer: `${u < 0.3 ? wrong + MARK : ''}${right}#${reference}` };
  });

/** Problems, alone or with a slip and the mark behind them. */
const asked = (seed: number, withSlip: boolean) =>
  Array.from({ length: 100 }, (_, at) => {
    const { prompt, reference, wrong } = problem(at, seed + 500, stream(seed, 'asked', at));
    const given = withSlip ? prompt + wrong + MARK : prompt;
    return { promptId: promptIdOf(given), prompt: given, reference, answer: `#${reference}` };
  });

/**
 * After a few worked answers with a reflection, both sides learn by PPO from equal batches; the method begins half
 * of them inside own answers. `withSlip`: they are asked with a planted slip at the end, or problems alone.
 */
const satoriOn = (withSlip: boolean) =>
  ({
    cluster: 4,
    system: 'satori',
    cites: 'arXiv:2502.02508',
    method: 'satori: a quarter of a batch in right beginnings, a quarter in wrong ones, depth 1',
    baseline: 'ppo, klWeight 0',
    better: 'higher',
    note:
      'On an unreported seed the start solves .73, and repairs .74 of the slips. Restarts trade one for the other: half ' +
      'of the batches begin behind the mark, and so fewer begin at problems alone. That the paper finds a higher pass@1 ' +
      'too may be for its longer answers, in which there is more to repair. A pilot without worked reflections in the ' +
      'start, and so without the mark, repaired nothing (.048 against .060).',
    data: (seed) => ({ worked: worked(seed), asked: asked(seed, withSlip) }),
    plan: (seed, { worked: workedId, asked: askedId }) => {
      const learned = (method: object) => ({
        method,
        task,
        models: from('base'),
        optimizer: { learningRate: 3e-4, schedule: 'constant' },
        budget: { steps: 320, batch: 64 },
        sampling,
        evaluation: unmeasured,
        seed: seed + 100,
      });
      const answers = (side: string) => ({
        id: `${side}-answers`,
        spec: {
          method: { id: 'sample', params: { groupSize: 4 } },
          task: { kind: 'dataset', datasetId: askedId, heldout: 0, onlyCorrect: false },
          models: from(side),
          rewards: [{ id: 'match/pattern', params: { pattern: '#(-?\\d+)$' } }],
          budget: { steps: 1, batch: 100 },
          sampling,
          evaluation: unmeasured,
          seed,
        },
      });
      const ppo = { lambda: 0.95, entropyWeight: 0, epochs: 2 };
      return {
        nodes: [
          {
            id: 'base',
            spec: {
              method: { id: 'sft' },
              optimizer: { learningRate: 5e-3, beta2: 0.95, schedule: 'linear' },
              budget: { steps: 800, batch: 32 },
              models: {
                policy: {
                  kind: 'new',
                  architecture: { width: 48, layers: 1, heads: 2, context: 64 },
                  tokenizer: { kind: 'bytes' },
                },
              },
              task: { kind: 'dataset', datasetId: workedId, heldout: 0 },
              sampling,
              evaluation: unmeasured,
              seed,
            },
          },
          {
            id: 'method',
            spec: learned({ id: 'satori', params: { ...ppo, depth: 1, reflect: MARK } }),
          },
          answers('method'),
          { id: 'baseline', spec: learned({ id: 'ppo', params: { ...ppo, klWeight: 0 } }) },
          answers('baseline'),
        ],
      };
    },
    number: async (runs) => {
      const answers = await runs.answers('sample', `${runs.side}-answers`);
      return mean(answers.map(({ scores }) => scores['match/pattern']));
    },
  }) satisfies Partial<Effect>;

export const satoriRepair: Effect = {
  ...satoriOn(true),
  id: 'satori-repair',
  title:
    'Restarts from own answers, with a bonus for repairs, teach a policy to recover from a slip (arithmetic of ' +
    'one operation, a wrong line and the mark of a reflection given)',
  measure: 'share of right final answers behind a wrong line, 100 problems, 4 answers each',
};

export const satoriSolved: Effect = {
  ...satoriOn(false),
  id: 'satori-solved',
  title: 'The same restarts raise the share of solved problems (arithmetic of one operation)',
  measure: 'pass@1 on 100 problems, 4 answers each',
};
