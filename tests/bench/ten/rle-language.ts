import { from, smallPolicy, unmeasured } from '../effects/shared.ts';
import type { SideRuns } from '../effects/effect.ts';
import type { Claim, TenSystem } from './system.ts';

/** Updates of 16 prompts × 8 answers; weight of a bonus. */
const UPDATES = 250;
const REP_EXP = 0.1;
const PROMPTS = 16;
const K = 8;
const BONUS = 0.5;

const task = { kind: 'world', id: 'toy/sums', params: { digits: 2 } } as const;
const sampling = { maxTokens: 4 } as const;
const measured = { problems: 120, samples: K } as const;

interface Explorer {
  readonly title: string;
  readonly method: object;
  readonly rest?: object;
}
const plain = { groupSize: K, klWeight: 0, scaleBy: 'none' } as const;
const grpo = { id: 'grpo', params: plain } as const;
const language = (vectors: number) => ({
  id: 'rle-language',
  params: { ...plain, bonusWeight: BONUS, vectors },
});
const explorers: Readonly<Record<string, Explorer>> = {
  language: { title: 'RLE', method: language(1) },
  unread: { title: 'the same bonus with directions that the policy does not read', method: language(0) },
  plain: { title: 'GRPO', method: grpo },
  repexp: {
    title: 'RepExp',
    method: grpo,
    rest: { rewards: [{ id: 'verifier' }, { id: 'rep-exp', weight: REP_EXP }] },
  },
  warm: {
    title: 'GRPO at temperature 1.3, also when it is measured',
    method: grpo,
    rest: { sampling: { ...sampling, temperature: 1.3 } },
  },
  held: {
    title: 'GRPO with its entropy held at .8 nats per token',
    method: grpo,
    rest: { controllers: [{ id: 'aepo', params: { target: 0.8 } }] },
  },
};

const nodeOf = (side: string, seed: number): object => ({
  id: side,
  spec: {
    method: explorers[side].method,
    models: from('base'),
    task,
    rewards: [{ id: 'verifier' }],
    optimizer: { learningRate: 1e-3, schedule: 'constant' },
    budget: { steps: UPDATES, batch: PROMPTS },
    sampling,
    evaluation: measured,
    seed: seed + 100,
    ...explorers[side].rest,
  },
});

const passAtMost = async (runs: SideRuns): Promise<number> => {
  const found = (await runs.evaluation()).passAtK.find(({ k }) => k === K);
  if (!found) throw new Error(`the run reported no pass@${K}`);
  return found.value;
};
const distinct = async (runs: SideRuns): Promise<number> => {
  const { distinctRight } = await runs.evaluation();
  if (distinctRight === undefined) throw new Error('the run reported no distinct right answers');
  return distinctRight;
};

const note =
  'The weight of the bonus was chosen on seed 101 after all sides had been seen, the world, the rate ' +
  'and the number of updates by GRPO alone; that of RepExp is the one of its own effect.';
const budget = `${UPDATES} updates of ${PROMPTS} × ${K} answers`;
const where = `on ${measured.problems} held-out prompts after ${budget}`;
const claimsOf = (baseline: string): readonly Claim[] => {
  const sides = { method: 'language', baseline, better: 'higher' } as const;
  const against = `RLE in language against ${explorers[baseline].title}`;
  return [
    {
      ...sides,
      note,
      claim: `${against}: more different right answers`,
      measure: `different right answers among ${K} to a prompt, ${where}`,
      number: distinct,
    },
    {
      ...sides,
      claim: `${against}: more prompts solved by some answer`,
      measure: `pass@${K} ${where}`,
      number: passAtMost,
    },
  ];
};

/**
 * Prompts with several right answers, from a policy whose demonstrations are half right: one of them is
 * enough for the reward, and training forgets the others. One side has the whole bonus, but a policy that
 * does not read its direction, and so cannot follow it.
 */
export const rleLanguage: TenSystem = {
  id: 'rle-language',
  system: 'rle',
  cites: 'arXiv:2407.13755',
  plan: (seed) => ({
    nodes: [
      {
        id: 'base',
        spec: {
          method: { id: 'sft' },
          models: smallPolicy(16),
          task,
          sampling,
          optimizer: { learningRate: 1e-2, beta2: 0.95, schedule: 'linear' },
          budget: { steps: 400, batch: 64 },
          evaluation: unmeasured,
          seed,
        },
      },
      ...Object.keys(explorers).map((side) => nodeOf(side, seed)),
    ],
  }),
  claims: Object.keys(explorers)
    .filter((side) => side !== 'language')
    .flatMap(claimsOf),
};
