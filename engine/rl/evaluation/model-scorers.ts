/** Scores text by models, and rows by stacks of scorers. */
import { openModelFolder, type OpenFolder } from '../../models/checkpoint.ts';
import { lineCount, type AnswerRow, type Likelihood, type TextScorer } from '../../rewards/index.ts';
import { combined } from '../../rewards/combine.ts';
import type { Stack } from '../../rewards/stack.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { BaseRef, Resources } from '../../schema/messages.ts';
import { encodeExample, maskOf, type Sequence } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import * as z from 'zod';
import type { Columns, PerToken } from '../kernel/columns.ts';
import { liveModel, type LiveModel } from '../compute/live-model.ts';
import { judgeModel } from '../compute/score-cache.ts';
import type { RewardStack } from '../kernel/reward-stack.ts';
import { isWritten, plainScores, JudgeOutput } from '../../schema/judge-output.ts';
import { ownCombination, partsOf } from './judge-output.ts';
import { maskedCounts, ragged, rowOf } from '../kernel/rows.ts';
import { readable, scoredTokens, tokensOf, unreadIn } from './scored-tokens.ts';

export { scoredTokens };

/** Facts about a reward model in its checkpoint's `state.json`. */
export const InspectedState = z.object({
  lengthFit: z.object({ intercept: z.number(), slope: z.number() }).optional(),
  reading: JudgeOutput.optional(),
});

/** Context needed by an answer with its prompt, and its characters outside the tokenizer's alphabet. */
const readsOf = (tokenizer: Tokenizer, context: number): Pick<TextScorer, 'room' | 'unread'> => ({
  room: (row) => ({ tokens: tokensOf(row, tokenizer), context }),
  ...(tokenizer.spells && { unread: (completion: string) => unreadIn(tokenizer, completion) }),
});

/** A judge as a scorer, with what its score is computed by. */
export interface OpenedJudge extends TextScorer {
  readonly live: LiveModel;
  readonly tokenizer: Tokenizer;
  readonly output: JudgeOutput;
}

/** A condition given by the user in front of each prompt, in place of the judge's own. */
const underCondition = (
  output: JudgeOutput,
  rows: readonly AnswerRow[],
  condition: string,
): [JudgeOutput, AnswerRow[]] => [
  output.kind === 'scores' ? { ...output, condition: '' } : output,
  rows.map((row) => ({ ...row, prompt: `${condition}${row.prompt}` })),
];

/** Opens a reward model's checkpoint folder. Throws `unsupported` for a policy, which has no score. */
export const openTextScorer = async (
  device: Device,
  folder: string,
  base?: BaseRef,
  open: OpenFolder = openModelFolder,
): Promise<OpenedJudge> => {
  const { model, tokenizer, state } = await open(folder, undefined, undefined, base);
  const { lengthFit, reading: judgeOutput = plainScores } = InspectedState.safeParse(state).data ?? {};
  if ((model.config.head === 'reward') === isWritten(judgeOutput))
    throw new WhetstoneError(
      'unsupported',
      'This checkpoint is a policy; only a reward model can score text.',
      { where: folder, hint: 'Choose a checkpoint of a reward-model run.' },
    );
  const live = liveModel(device, model);
  const judge = judgeModel({ live, model });
  return {
    live,
    tokenizer,
    output: judgeOutput,
    score: async (rows, how, condition) =>
      combined(
        how ?? ownCombination(judgeOutput),
        condition === undefined
          ? await partsOf(judge, tokenizer, judgeOutput, rows)
          : await partsOf(judge, tokenizer, ...underCondition(judgeOutput, rows, condition)),
      ),
    ...(lengthFit && { lengthFit }),
    ...readsOf(tokenizer, model.config.context),
  };
};

/** 1 on the tokens of the answer, 0 on the prompt's. */
const trainedOf = ({ spans, tokens }: Sequence): Uint8Array => maskOf(spans, tokens.length);

/**
 * Opens a policy's checkpoint folder as a scorer: log-probabilities of whole answers. Throws `unsupported`
 * for a reward model.
 */
export const openLikelihood = async (
  device: Device,
  folder: string,
  base?: BaseRef,
  open: OpenFolder = openModelFolder,
): Promise<Likelihood> => {
  const { model, tokenizer, state } = await open(folder, undefined, undefined, base);
  const judge = InspectedState.safeParse(state).data?.reading !== undefined;
  if (model.config.head === 'reward' || judge)
    throw new WhetstoneError(
      'unsupported',
      `This checkpoint is a ${judge ? 'judge of answers' : 'reward model'}; only a policy has the ` +
        'likelihood of a text.',
      { where: folder, hint: 'Choose a checkpoint of a run that trains a policy.' },
    );
  const live = liveModel(device, model);
  /** Tokens, with the log-probabilities of those of the answer and 0 for the others. */
  const written = async (
    rows: readonly AnswerRow[],
  ): Promise<{
    readonly tokens: PerToken<Int32Array>;
    readonly logp: PerToken;
    readonly starts: readonly number[];
  }> => {
    const tokens = scoredTokens(rows, tokenizer, model.config.context);
    const logp = await live.logp(tokens, 1);
    const starts = rows.map(({ prompt, completion, stopReason }, r) => {
      const sequence = encodeExample(tokenizer, prompt, readable(tokenizer, completion));
      const own = trainedOf(sequence);
      const row = rowOf(logp, r);
      // an answer cut at the length limit has no end mark
      row.forEach((_, t) => {
        if (!own[t] || (stopReason === 'length' && t === row.length - 1)) row[t] = 0;
      });
      return sequence.promptLength;
    });
    return { tokens, logp, starts };
  };
  return {
    ...readsOf(tokenizer, model.config.context),
    score: async (rows) => {
      const { logp } = await written(rows);
      return Float64Array.from(rows, (_, r) => rowOf(logp, r).reduce((sum, value) => sum + value, 0));
    },
    lines: async (rows) => {
      const { tokens, logp, starts } = await written(rows);
      const lines = rows.map((row, r) => {
        const sums = new Float64Array(lineCount(row));
        const ids = rowOf(tokens, r);
        // a token with a line break belongs to the line that it ends
        rowOf(logp, r)
          .slice(starts[r])
          .reduce((line, value, t) => {
            sums[line] += value;
            return Math.min(
              line + tokenizer.decode([ids[starts[r] + t]]).split('\n').length - 1,
              sums.length - 1,
            );
          }, 0);
        return sums;
      });
      return ragged(lines, Float64Array);
    },
  };
};

/**
 * Returns a function that opens checkpoints of the run's resources with `open`, once each; `accept` may throw
 * to refuse one.
 */
export const checkpointOpener = <S extends TextScorer>(
  device: Device,
  { checkpoints, models }: Pick<Resources, 'checkpoints' | 'models'>,
  open: (device: Device, folder: string, base?: BaseRef) => Promise<S>,
  accept: (checkpointId: string, scorer: S) => void = () => undefined,
): ((checkpointId: string) => Promise<S>) => {
  const opened = new Map<string, Promise<S>>();
  return (checkpointId) => {
    const folder = checkpoints[checkpointId];
    if (folder === undefined)
      throw new WhetstoneError('not-found', `The checkpoint '${checkpointId}' is not there.`, {
        where: 'rewards',
      });
    const known =
      opened.get(checkpointId) ??
      open(device, folder, models?.[checkpointId]?.base).then((scorer) => {
        accept(checkpointId, scorer);
        return scorer;
      });
    opened.set(checkpointId, known);
    return known;
  };
};

/** Converts rows to the input of text scorers. */
export const answerRows = ({
  problem,
  completion,
  mask,
  ended,
  groupId,
}: Pick<Columns, 'problem' | 'completion' | 'mask' | 'ended'> &
  Partial<Pick<Columns, 'groupId'>>): AnswerRow[] => {
  const tokens = maskedCounts(mask);
  return problem.map(({ promptId, prompt, reference }, r) => ({
    promptId,
    prompt,
    reference,
    completion: completion[r],
    tokens: tokens[r],
    stopReason: ended[r] ? 'end' : 'length',
    ...(groupId && { group: groupId[r] }),
  }));
};

/**
 * Replaces synthetic rehearsal answers by characters of the prompt, because a judge's alphabet may lack those
 * of random tokens.
 */
export const spelledAsPrompts = (rows: readonly AnswerRow[]): AnswerRow[] =>
  rows.map((row) => {
    const letters = [...row.prompt];
    return {
      ...row,
      completion: Array.from(
        letters.length > 0 ? row.completion : '',
        (_, at) => letters[at % letters.length],
      ).join(''),
    };
  });

/** The run's reward stack as the source of the column `reward/total`. */
export const totalOf = (stack: Stack): RewardStack<'total'> => ({
  id: 'total',
  scorers: stack.scorers,
  ...(stack.weights && { weights: stack.weights }),
  empty: stack.scorers.length === 0,
  score: async (rows, progress) => {
    const { total, credit = total, raw, lines, turns } = await stack.score(answerRows(rows), progress);
    return { value: credit, raw, ...(lines && { lines }), ...(turns && { turns }) };
  },
});
