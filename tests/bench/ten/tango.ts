import {
  answersOf,
  BATCH,
  byOutcome,
  coTrained,
  imitatedVerifier,
  outcomeAlone,
  planted,
  speller,
  type Chain,
} from '../../../main/plans/presets/tango.ts';
import { mean, type SideRuns } from '../effects/effect.ts';
import type { Claim, TenSystem } from './system.ts';

/**
 * Updates of the verifier beforehand (a share of all as in the paper) and meanwhile, and of the policy, which
 * has three for each of those meanwhile.
 */
const WARMUP = 8;
const MEANWHILE = 20;
const UPDATES = 3 * MEANWHILE;
const STEPS = WARMUP + MEANWHILE + UPDATES;
const PROMPTS = 200;

const chainsOf = (seed: number): readonly Chain[] =>
  (['short', 'long'] as const).map((id) => ({
    id,
    length: { short: 4, long: 8 }[id],
    seed: 1000 * seed,
    imitation: { short: 500, long: 800 }[id],
    verdicts: { short: 2400, long: 4800 }[id],
    prompts: PROMPTS,
    warmup: WARMUP,
    steps: STEPS,
    problems: 200,
  }));

/** `operator` makes the rows that the co-trained verifier starts from. */
const planOf = (seed: number, operator: object = planted) => ({
  nodes: chainsOf(seed).flatMap((chain) => [
    speller(chain),
    answersOf(chain),
    imitatedVerifier(chain, 'start', { answers: ['answers'], operator }),
    coTrained(chain, 'together', { verifier: 'start' }),
    outcomeAlone(chain, 'alone'),
    ...(chain.id === 'long'
      ? [
          // as many more answers as the co-trained verifier judges
          answersOf(chain, 'more', ((WARMUP + MEANWHILE) * BATCH) / 8, 7),
          imitatedVerifier(chain, 'imitates', { answers: ['answers', 'more'], operator: byOutcome }),
          coTrained(chain, 'imitated', { verifier: 'imitates', steps: 1, warmup: 0 }),
          coTrained(chain, 'untrained', { verifier: 'start', steps: 1, warmup: 0 }),
        ]
      : []),
  ]),
});

/**
 * Mean accuracy of the answers that the policy wrote for its first updates: the area under its learning
 * curve.
 */
async function area(runs: SideRuns, node: string): Promise<number> {
  const byRole = await runs.metric('policy/reward/mean', node);
  const all = byRole.length > 0 ? byRole : await runs.metric('reward/mean', node);
  return mean(all.slice(0, UPDATES));
}
const areas = async (runs: SideRuns): Promise<number> =>
  mean(await Promise.all(runs.nodes().map((node) => area(runs, node))));
/** 0 if no answer of a quick check is right. */
const f1 = async (runs: SideRuns): Promise<number> =>
  (await runs.metric('eval/verifier/first_error_f1')).at(-1) ?? 0;

const note =
  'The rate is the best of 1e-3, 2e-3 and 4e-3 for GRPO on seed 101. The policy gains where its verifier finds ' +
  'errors before it is trained along; one that is nearly blind misleads it. A start whose likeliest answer is ' +
  'right needs only to become surer: one right answer among hundreds teaches all of its lines at once, while ' +
  'the credit of a line has the verdicts on all later lines in it.';
const curve = `mean accuracy of the 40 answers of each of the policy’s first ${UPDATES} updates`;
const claims: readonly Claim[] = [
  {
    claim: 'Tango against GRPO: more accurate at equal updates of the policy, over chains of 4 and 8 lines',
    method: 'together',
    baseline: 'alone',
    measure: curve,
    better: 'higher',
    note,
    number: areas,
  },
  {
    claim: 'Tango against GRPO: the same with chains of 8 lines',
    method: 'together-long',
    baseline: 'alone-long',
    measure: curve,
    better: 'higher',
    number: areas,
  },
  {
    claim: 'Tango against GRPO: the gain is larger with 8 lines than with 4',
    method: 'together-long',
    baseline: 'together-short',
    measure: `${curve}, less that of GRPO`,
    better: 'higher',
    number: async (runs, all) =>
      (await areas(runs)) - (await areas(all(runs.side.replace('together', 'alone')))),
  },
  {
    claim: 'Tango against GRPO with the verifier’s updates as well: more accurate in the end, 8 lines',
    method: 'together-long',
    baseline: 'alone-long',
    measure: `pass@1 on 200 held-out problems after ${STEPS} updates, ${UPDATES} of them the policy’s in Tango`,
    better: 'higher',
    number: async (runs) => (await runs.evaluation()).passAt1,
  },
  {
    claim: 'The co-trained verifier against supervised training on as many outcomes: finds the first error',
    method: 'together-long',
    baseline: 'imitated-long',
    measure: 'F1 of the first wrong line in 400 worked answers',
    better: 'higher',
    number: f1,
  },
  {
    claim: 'The co-trained verifier against itself before: finds the first error more often',
    method: 'together-long',
    baseline: 'untrained-long',
    measure: 'F1 of the first wrong line in 400 worked answers',
    better: 'higher',
    number: f1,
  },
];

/**
 * Strings spelled letter by letter, from a policy whose lines are right with probability ½. Nobody marks
 * lines: the verifier begins with errors planted in the policy's own right answers.
 */
export const tango: TenSystem = {
  id: 'tango',
  cites: 'arXiv:2505.15034',
  plan: (seed) => planOf(seed),
  // after so few steps no answer is right
  quickPlan: (seed) => planOf(seed, byOutcome),
  quickSteps: 6,
  claims,
};
