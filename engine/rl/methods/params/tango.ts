import * as z from 'zod';
import * as part from '../../parts/index.ts';
import { role } from '../../kernel/recipe.ts';
import { range, shared } from '../../kernel/shared.ts';
import { pipe } from '../../kernel/stage.ts';
import { nearInitial } from './near-initial.ts';

/** A word that a verifier writes. */
export const word = z.string().min(1).max(20);

export const tangoParams = z
  .strictObject({
    groupSize: shared.groupSize.default(5),
    clip: shared.clip.default(0.2),
    klWeight: shared.klWeight.default(0.001),
    step: z
      .enum(['line', 'token'])
      .default('line')
      .describe('What the verifier judges: each line of an answer, or each token.'),
    share: range.fraction
      .default(0.1)
      .describe('Share of the steps’ credit at first; it falls exponentially to a thousandth.'),
    format: range.weight
      .default(0.8)
      .describe('The verifier’s reward for one verdict per step, and one more.'),
    decay: z
      .number()
      .min(0)
      .max(0.999)
      .default(0.8)
      .describe('Decay of the counts of right and wrong answers.'),
    warmup: z
      .int()
      .min(0)
      .max(10_000)
      .default(40)
      .describe('Batches that the verifier trains on before the policy begins.'),
    turns: z.int().min(1).max(64).default(3).describe('Batches of the policy for each of the verifier.'),
    right: word.default('Y').describe('The verdict on a right step or answer.'),
    wrong: word.default('N').describe('The verdict on a wrong one.'),
    cue: word.default('|').describe('Stands behind an answer, once for each verdict that is due.'),
  })
  .refine(({ right, wrong }) => right !== wrong, {
    message: 'must differ from the verdict on a right step',
    path: ['wrong'],
  });
type Params = z.output<typeof tangoParams>;

/** Writes groups of verdicts on the policy's latest answers; learns from whether the outcome agrees. */
export const tangoVerifier = (p: Params) =>
  role({
    rows: pipe(
      part.answersToJudge({ from: 'solutions', cue: p.cue }),
      part.sampleGroups(p),
      part.keepShown,
      part.scoreVerdicts(p),
      part.centerByGroup({ scaleBy: 'sample' }),
      part.logpUnder('initial'),
    ),
    objective: nearInitial(p),
    verdicts: p,
  });
