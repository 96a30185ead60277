/** Caches the scores of a model that scores the same rows repeatedly: each row is scored once. */
import type { Model } from '../../models/model.ts';
import type { PerToken } from '../kernel/columns.ts';
import type { LiveModel } from './live-model.ts';
import { gather, rowCount, rowOf } from '../kernel/rows.ts';

/** The part of a model that judge outputs need. */
export interface JudgeModel extends Pick<LiveModel, 'programs' | 'scores' | 'each' | 'logp'> {
  /** The model for sampling, by a judge that writes. */
  readonly model: Model;
}
interface Opened {
  readonly live: LiveModel;
  readonly model: Model;
}

export const judgeModel = ({ live, model }: Opened): JudgeModel => ({
  model,
  programs: live.programs,
  scores: live.scores.bind(live),
  each: live.each.bind(live),
  logp: live.logp.bind(live),
});

/** For one evaluation: the cache does not notice changes of the model. */
export const withScoreCache = (opened: Opened): JudgeModel => {
  const { live } = opened;
  const known = new Map<string, Float64Array>();
  return {
    ...judgeModel(opened),
    scores: async (tokens_RT: PerToken<Int32Array>) => {
      const keys = Array.from({ length: rowCount(tokens_RT) }, (_, r) => rowOf(tokens_RT, r).join());
      const first = new Map(keys.map((key, r) => [key, r] as const).toReversed());
      const fresh = [...first].filter(([key]) => !known.has(key)).sort(([, a], [, b]) => a - b);
      if (fresh.length > 0) {
        const scores = await live.scores(
          gather(
            tokens_RT,
            Uint32Array.from(fresh, ([, r]) => r),
          ),
        );
        const labels = scores.length / fresh.length;
        fresh.forEach(([key], at) => known.set(key, scores.slice(at * labels, (at + 1) * labels)));
      }
      return Float64Array.from(keys.flatMap((key) => [...(known.get(key) ?? [])]));
    },
  };
};
