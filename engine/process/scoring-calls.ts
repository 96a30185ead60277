/** Calls about the scores of a judge; the last one stays open, since a person scores several texts with it. */
import { WhetstoneError } from '../common/errors.ts';
import { brokenModel } from '../models/broken.ts';
import { openModelAlone } from '../models/checkpoint.ts';
import { promptIdOf } from '../random/hash.ts';
import type { TextScorer } from '../rewards/index.ts';
import { openTextScorer, type OpenedJudge } from '../rl/evaluation/model-scorers.ts';
import { insideAnswer } from '../rl/tools/inside.ts';
import { represent } from '../rl/tools/represent.ts';
import { answerSteps, stepScores } from '../rl/tools/step-scores.ts';
import { nearestNeighbours, principalPlane } from '../labeling/index.ts';
import { followed, part } from '../pace/index.ts';
import type { BaseRef, CallProgress, EngineCalls } from '../schema/messages.ts';
import { theDevice } from './device.ts';

type Place = Pick<EngineCalls['score']['input'], 'checkpoint' | 'base'>;

let scorer: { readonly key: string; readonly model: Promise<OpenedJudge> } | undefined;

const scorerOf = async (folder: string, base?: BaseRef): Promise<OpenedJudge> => {
  const key = JSON.stringify([folder, base]);
  if (scorer?.key !== key) scorer = { key, model: openTextScorer(await theDevice(), folder, base) };
  try {
    return await scorer.model;
  } catch (error) {
    scorer = undefined;
    throw error;
  }
};

/**
 * Refuses a text that the model reads only in part; in a run such answers are scored and reported instead.
 */
const refuseUnread = (model: TextScorer, completion: string): void => {
  const missing = model.unread?.(completion) ?? '';
  if (missing === '') return;
  throw new WhetstoneError('invalid-input', `The model’s alphabet lacks ${JSON.stringify(missing)}.`, {
    where: `answer “${completion.slice(0, 40)}”`,
    hint: 'Use only characters that the model was trained with.',
  });
};

/** Items that fit the model's context, with their prompts. Throws `invalid-input` if none does. */
const scorable = ({ room }: TextScorer, items: EngineCalls['score']['input']['items']): boolean[] => {
  const rooms = items.map((item) => room?.(item) ?? { tokens: 0, context: Infinity });
  const fits = rooms.map(({ tokens, context }) => tokens <= context);
  if (fits.includes(true)) return fits;
  const { tokens, context } = rooms.reduce((least, each) => (each.tokens < least.tokens ? each : least));
  throw new WhetstoneError(
    'invalid-input',
    `With its prompt ${items.length === 1 ? 'the answer' : 'even the shortest answer'} has ${tokens} ` +
      `tokens; the model reads ${context}.`,
    {
      where: `answer “${items[0].completion.slice(0, 40)}”`,
      hint: 'Shorten the answer or its prompt, or score it with a model that reads more.',
    },
  );
};

/** Throws `numeric` with the cause if a score is no number. */
const refuseBroken = async (scores: Iterable<number>, { checkpoint, base }: Place): Promise<void> => {
  for (const score of scores)
    if (!Number.isFinite(score))
      throw brokenModel(
        `The score is ${score}, which is no number`,
        await openModelAlone({ folder: checkpoint, ...(base && { base }) }),
        checkpoint,
      );
};

/** Shares of the progress of a map at which its answers are read, and at which they are placed. */
const [READING, PLACING] = [0.7, 0.8];

type ScoringCall = 'score' | 'inside' | 'answerSteps' | 'stepScores' | 'judgeMap';

export const scoringCalls: {
  readonly [N in ScoringCall]: (
    input: EngineCalls[N]['input'],
    signal?: AbortSignal,
    report?: (progress: CallProgress<N>) => void,
  ) => Promise<EngineCalls[N]['output']>;
} = {
  score: async ({ checkpoint, base, items }) => {
    const model = await scorerOf(checkpoint, base);
    for (const { completion } of items) refuseUnread(model, completion);
    const fits = scorable(model, items);
    const rows = items
      .filter((_, i) => fits[i])
      .map(({ prompt, completion }) => ({
        promptId: promptIdOf(prompt),
        prompt,
        completion,
        tokens: completion.length,
        stopReason: 'end' as const,
      }));
    const scores = [...(await model.score(rows))];
    await refuseBroken(scores, { checkpoint, ...(base && { base }) });
    // in the order of the items
    return fits.map((fit) => (fit ? (scores.shift() ?? null) : null));
  },
  inside: async ({ checkpoint, base, ...asked }) => {
    const model = await scorerOf(checkpoint, base);
    refuseUnread(model, asked.completion);
    scorable(model, [asked]);
    const found = await insideAnswer(model, asked);
    const scores = found.units.flatMap(({ prefix, deletion }) => [prefix, deletion]);
    await refuseBroken([found.score, found.empty, ...scores], { checkpoint, ...(base && { base }) });
    return found;
  },
  answerSteps: async ({ checkpoint, base, ...asked }) => {
    const model = await scorerOf(checkpoint, base);
    refuseUnread(model, asked.completion);
    const found = await answerSteps(model, asked);
    const scores = [...found.prefix, ...(found.head ?? [])].filter((score) => score !== null);
    await refuseBroken(scores, { checkpoint, ...(base && { base }) });
    return found;
  },
  stepScores: async ({ checkpoint, base, items }) => {
    const model = await scorerOf(checkpoint, base);
    for (const { steps } of items) for (const step of steps) refuseUnread(model, step);
    const found = await stepScores(model, items);
    const scores = found.flatMap((each) => each.scores.filter((score) => score !== null));
    await refuseBroken(scores, { checkpoint, ...(base && { base }) });
    return found;
  },
  judgeMap: async ({ checkpoint, base, items, neighbours }, stop, report) => {
    const model = await scorerOf(checkpoint, base);
    const follower = { ...(stop && { stop }), report: (share: number) => report?.({ share }) };
    return followed(follower, async () => {
      const { values, width, cut } = await part(0, READING, () => represent(model, items));
      await refuseBroken(values, { checkpoint, ...(base && { base }) });
      const plane = await part(READING, PLACING, () => principalPlane({ values, width }));
      const nearest = await part(PLACING, 1, () => nearestNeighbours({ values, width }, neighbours));
      return { ...plane, width, cut, ...nearest };
    });
  },
};
