/** Calls of the judge that follows labeling: features of pairs, its fit, orders of the queue. */
import { fitJudge, orderQueue, textStatistics, textStatisticsWidth } from '../labeling/index.ts';
import { followed, pause } from '../pace/index.ts';
import { openPairReader, type PairDifferences, type PairReader } from '../rl/evaluation/pair-features.ts';
import type { CallProgress, EngineCalls, ModelPlace, PairTexts } from '../schema/messages.ts';
import { theDevice } from './device.ts';

/** The last model stays open, since pairs come in many calls. */
let reader: { readonly key: string; readonly read: Promise<PairReader> } | undefined;

const readerOf = async ({
  folder,
  base,
  hash,
}: ModelPlace & { readonly hash: string }): Promise<PairReader> => {
  const key = JSON.stringify([folder, base, hash]);
  if (reader?.key !== key) reader = { key, read: openPairReader(await theDevice(), folder, base) };
  try {
    return await reader.read;
  } catch (error) {
    reader = undefined;
    throw error;
  }
};

const byTextStatistics = async (pairs: readonly PairTexts[]): Promise<PairDifferences> => {
  const width = textStatisticsWidth;
  const differences = new Float32Array(pairs.length * width);
  for (const [pair, { prompt, a, b }] of pairs.entries()) {
    await pause(pair / pairs.length);
    const [first, second] = [textStatistics(prompt, a), textStatistics(prompt, b)];
    for (let f = 0; f < width; f++) differences[pair * width + f] = first[f] - second[f];
  }
  return { differences, width, tooLong: 0 };
};

type JudgeCall = 'pairFeatures' | 'fitJudge' | 'orderQueue';

export const judgeCalls: {
  readonly [N in JudgeCall]: (
    input: EngineCalls[N]['input'],
    signal?: AbortSignal,
    report?: (progress: CallProgress<N>) => void,
  ) => Promise<EngineCalls[N]['output']>;
} = {
  pairFeatures: ({ model, pairs }, _signal, report) =>
    followed({ report: (share) => report?.({ share }) }, async () =>
      model === null ? await byTextStatistics(pairs) : await (await readerOf(model))(pairs),
    ),
  fitJudge: ({ features, labels, seed }, _signal, report) =>
    followed({ report: (share) => report?.({ share }) }, () => fitJudge(features, labels, seed)),
  orderQueue: ({ features, head, order }) => orderQueue(features, head, order),
};
