import { mean, type Effect } from './effect.ts';
import { from, unmeasured } from './shared.ts';
import {
  answersTo,
  askedProblems,
  learnsWorked,
  MARK,
  oneOperation,
  sampling,
  workedAnswers,
} from './slips.ts';

const task = oneOperation(6, 36);

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
    data: (seed) => ({
      worked: workedAnswers(task, seed, 1000),
      asked: askedProblems(task, seed, withSlip ? 'wrong' : 'prompt'),
    }),
    plan: (seed, { worked, asked }) => {
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
      const ppo = { entropyWeight: 0, epochs: 2 };
      return {
        nodes: [
          learnsWorked(seed, worked, { steps: 800, batch: 32 }),
          {
            id: 'method',
            spec: learned({ id: 'satori', params: { ...ppo, depth: 1, reflect: MARK } }),
          },
          answersTo('method', asked, seed),
          { id: 'baseline', spec: learned({ id: 'ppo', params: { ...ppo, klWeight: 0 } }) },
          answersTo('baseline', asked, seed),
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
