/** Models as scorers of text, and stacks of scorers over rows. */
import { openModelFolder } from '../models/checkpoint.ts';
import type { AnswerRow, RewardContext, TextScorer } from '../rewards/index.ts';
import { combined } from '../rewards/combine.ts';
import type { Stack } from '../rewards/stack.ts';
import type { Device } from '../runtime/index.ts';
import { WhetstoneError } from '../schema/errors.ts';
import type { BaseRef, Resources } from '../schema/messages.ts';
import { encodeExample, maskOf, type Sequence } from '../text/spans.ts';
import { z } from 'zod';
import type { Columns } from './columns.ts';
import { liveModel } from './live-model.ts';
import type { RewardStack } from './method.ts';
import { plainReading, Reading } from '../schema/reading.ts';
import { ownCombination, partsOf } from './reading.ts';
import { maskedCounts } from './rows.ts';
import { scoredTokens, UNSPELLABLE } from './scored-tokens.ts';

export { scoredTokens };

/** What a reward model's checkpoint says about itself, as `state.json` holds it. */
export const InspectedState = z.object({ lengthFit: z.object({ intercept: z.number(), slope: z.number() }).optional(), reading: Reading.optional() });

/** Opens a reward model's checkpoint folder. Throws `unsupported` for a policy: it writes text and has no score. */
export const openTextScorer = async (device: Device, folder: string, base?: BaseRef): Promise<TextScorer> => {
  const { model, tokenizer, state } = await openModelFolder(folder, undefined, undefined, base);
  const { lengthFit, reading = plainReading } = InspectedState.safeParse(state).data ?? {};
  if ((model.config.head === 'reward') === (reading.kind === 'verdict')) throw new WhetstoneError('unsupported', 'This checkpoint is a policy; a reward model is needed to score text.', { where: folder, hint: 'Choose a checkpoint of a reward-model run.' });
  const live = liveModel(device, model);
  return {
    score: async (rows, how) => combined(how ?? ownCombination(reading), await partsOf(live, tokenizer, reading, rows)),
    ...(lengthFit && { lengthFit }),
  };
};

/** 1 on the tokens that the model wrote. */
const trainedOf = ({ spans, tokens }: Sequence): Uint8Array => maskOf(spans, tokens.length);

/** Opens a policy's checkpoint folder as a scorer: log-probabilities of whole answers. Throws `unsupported` for a reward model. */
export const openLikelihood = async (device: Device, folder: string, base?: BaseRef): Promise<TextScorer> => {
  const { model, tokenizer } = await openModelFolder(folder, undefined, undefined, base);
  if (model.config.head === 'reward') throw new WhetstoneError('unsupported', 'This checkpoint is a reward model; a policy is needed to say how likely a text is.', { where: folder, hint: 'Choose a checkpoint of a run that trains a policy.' });
  const live = liveModel(device, model);
  return {
    score: async (rows) => {
      const { values, offsets } = await live.logp(scoredTokens(rows, tokenizer, model.config.context), 1);
      return Float64Array.from(rows, ({ prompt, completion, stopReason }, r) => {
        const own = trainedOf(encodeExample(tokenizer, prompt, completion.replace(UNSPELLABLE, '')));
        // an answer that was cut at its longest never wrote the end mark
        const end = offsets[r + 1] - (stopReason === 'length' ? 1 : 0);
        return values.subarray(offsets[r], end).reduce((sum, logp, t) => (own[t] ? sum + logp : sum), 0);
      });
    },
  };
};

/** Opens checkpoints of the run's resources by `open`, each once. */
export const checkpointOpener = (device: Device, { checkpoints, models }: Resources, open = openTextScorer): NonNullable<RewardContext['checkpoint']> => {
  const opened = new Map<string, Promise<TextScorer>>();
  return (checkpointId) => {
    const folder = checkpoints[checkpointId];
    if (folder === undefined) throw new WhetstoneError('not-found', `The checkpoint '${checkpointId}' is not there.`, { where: 'rewards' });
    const known = opened.get(checkpointId) ?? open(device, folder, models?.[checkpointId]?.base);
    opened.set(checkpointId, known);
    return known;
  };
};

/** Rows as scorers of text see them. */
export const answerRows = ({ problem, completion, mask, ended, groupId }: Pick<Columns, 'problem' | 'completion' | 'mask' | 'ended'> & Partial<Pick<Columns, 'groupId'>>): AnswerRow[] => {
  const tokens = maskedCounts(mask);
  return problem.map(({ promptId, prompt, reference }, r) => ({
    promptId, prompt, reference, completion: completion[r], tokens: tokens[r], stopReason: ended[r] ? 'end' : 'length', ...(groupId && { group: groupId[r] }),
  }));
};

/** A run's stack as the column `reward/total`. */
export const totalOf = (stack: Stack): RewardStack<'total'> => ({
  id: 'total',
  scorers: stack.scorers,
  empty: stack.scorers.length === 0,
  score: async (rows) => {
    const { total, raw } = await stack.score(answerRows(rows));
    return { value: total, raw };
  },
});
