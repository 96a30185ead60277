/** Bonuses for exploring in a control world: what they are, and the credit for them. */
import { normals } from '../../../random/random.ts';
import type { Columns, Outlook, PerToken } from '../../kernel/columns.ts';
import { stage, type StageContext } from '../../kernel/stage.ts';
import { along } from '../math/along.ts';
import { answerPlaces } from '../math/places.ts';
import { generalizedAdvantages } from './gae.ts';
import { deviationOf, nothingSeen, withValues, type Running } from '../math/running.ts';

type Act = (reads: Float32Array, rows: number) => Promise<Outlook>;

/**
 * An output of a network for the state after each token, T × K, computed for `rows` states at a time by one
 * program.
 */
const saidOf = async (
  act: Act,
  { observed, values: { length } }: Columns['tokens'],
  rows: number,
  what: (outlook: Outlook) => Float32Array | undefined,
): Promise<Float32Array> => {
  const { values: seen, width } = observed ?? { values: new Float32Array(0), width: 0 };
  const parts: Float32Array[] = [];
  for (let first = 0; first < length; first += rows) {
    const reads = new Float32Array(rows * width);
    reads.set(seen.subarray(first * width, (first + rows) * width));
    parts.push(what(await act(reads, rows)) ?? new Float32Array(0));
  }
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.forEach((part, at) => all.set(part, at * part.length));
  return all;
};

const perToken = ({ offsets }: PerToken<Uint8Array>, values: Float64Array): PerToken<Float64Array> => ({
  axis: 'T',
  values,
  offsets,
});

/** Seed of the projection, and the running moments of each feature. */
interface Seen {
  readonly seed: number;
  readonly features: readonly Running[];
}

/** A fixed random projection of D features to `size` numbers: D × size. */
const projectionOf = (seed: number, features: number, size: number): Float32Array => {
  const projection = new Float32Array(features * size);
  normals(projection, seed, 'projection of features');
  return projection;
};

/**
 * The bonus of a step is how far it leads along the direction z of its episode: φ(s') · z / ‖φ(s')‖
 * (Mahankali et al., arXiv:2407.13755, eq. 2). φ is a random projection of the features of the snapshot
 * `average`, each standardized by its mean and deviation so far.
 */
export const latentBonus = stage({
  id: 'latentBonus',
  station: 'credit',
  needs: ['tokens', 'mask', 'model/average'],
  adds: ['credit/bonus'],
  run: async ({ tokens, mask, 'model/average': random }, context) => {
    const size = context.latent?.size ?? 0;
    const features = await saidOf(random.act, tokens, context.batch, (said) => said.features);
    const places = answerPlaces(mask).flat();
    const D = features.length / (Math.ceil(tokens.values.length / context.batch) * context.batch);
    const saved = context.memory.get('latentBonus') as Seen | undefined;
    const seed = saved?.seed ?? context.random('projection of features').bits();
    const moments = Array.from({ length: D }, (_, d) =>
      withValues(
        saved?.features[d] ?? nothingSeen,
        places.map((at) => features[at * D + d]),
      ),
    );
    context.memory.set('latentBonus', { seed, features: moments } satisfies Seen);
    const standard = (at: number): Float64Array =>
      Float64Array.from(moments, (each, d) => (features[at * D + d] - each.mean) / deviationOf(each));
    const projection = projectionOf(seed, D, size);
    const bonus = new Float64Array(tokens.values.length);
    for (const at of places) {
      const width = tokens.observed?.width ?? 0;
      const direction = tokens.observed?.values.subarray((at + 1) * width - size, (at + 1) * width) ?? [];
      bonus[at] = along(projected(standard(at), projection, size), direction);
    }
    return { columns: { 'credit/bonus': perToken(mask, bonus) } };
  },
});

const projected = (features: Float64Array, projection: Float32Array, size: number): Float64Array =>
  Float64Array.from({ length: size }, (_, k) =>
    features.reduce((sum, feature, d) => sum + feature * projection[d * size + k], 0),
  );

/**
 * The bonus of a step is how badly the features of what it led to were predicted: mean squared error against
 * those of the initial model, a random network (Burda et al., arXiv:1810.12894).
 */
export const predictionBonus = stage({
  id: 'predictionBonus',
  station: 'credit',
  needs: ['tokens', 'mask', 'model/initial'],
  adds: ['credit/bonus'],
  run: async ({ tokens, mask, 'model/initial': random }, { act, batch }) => {
    const target = await saidOf(random.act, tokens, batch, (said) => said.features);
    const predicted = await saidOf(act, tokens, batch, (said) => said.predicted);
    const D = target.length / (Math.ceil(tokens.values.length / batch) * batch);
    const bonus = Float64Array.from(mask.values, (m, at) => {
      if (m === 0) return 0;
      const own = target.subarray(at * D, (at + 1) * D);
      return own.reduce((sum, x, d) => sum + (predicted[at * D + d] - x) ** 2, 0) / D;
    });
    return { columns: { 'credit/bonus': perToken(mask, bonus) } };
  },
});

interface BonusCredit {
  readonly bonusGamma: number;
  readonly lambda: number;
  readonly earnedWeight: number;
  readonly bonusWeight: number;
  /**
   * True if later bonuses count beyond the end of an episode; else they end with it, as its direction does.
   */
  readonly across: boolean;
}

/**
 * Adds credit for bonuses to that for earned rewards: `earnedWeight` · A + `bonusWeight` · A_bonus, by
 * generalized advantages with a discount and values of their own. Bonuses are divided by the running
 * deviation of their discounted sums within pieces of episodes. The values' targets are
 * `credit/bonusReturns`.
 */
export const bonusCredit = (how: BonusCredit) =>
  stage({
    id: `bonusCredit(${how.bonusGamma}, ${how.lambda}, ${how.earnedWeight}, ${how.bonusWeight})`,
    station: 'credit',
    needs: ['tokens', 'mask', 'advantage', 'credit/bonus', 'row/finished', 'row/copy'],
    adds: ['advantage', 'credit/bonusReturns'],
    run: async ({ tokens, mask, advantage, 'credit/bonus': bonus, ...rest }, context) => {
      const { 'row/finished': finished, 'row/copy': copy } = rest;
      const rows = answerPlaces(mask);
      const bonuses = scaled(bonus.values, rows, how.bonusGamma, context);
      const values = await saidOf(context.act, tokens, context.batch, (said) => said.bonus);
      const mixed = advantage.values.map((a) => how.earnedWeight * a);
      const returns = new Float64Array(mixed.length);
      for (const { places, ends } of streams(rows, finished, copy, how.across)) {
        // the state before a step is that after the token before it
        const own = places.map((at) => values[at - 1]);
        const credit = advantages(
          places.map((at) => bonuses[at]),
          own,
          ends ? 0 : values[places[places.length - 1]],
          how,
        );
        credit.forEach((a, step) => {
          mixed[places[step]] += how.bonusWeight * a;
          returns[places[step]] = a + own[step];
        });
      }
      return {
        columns: {
          advantage: { ...advantage, values: mixed },
          'credit/bonusReturns': perToken(mask, returns),
        },
      };
    },
  });

/** Steps that bonuses are summed along: those of a piece, or all of a copy's pieces. */
const streams = (
  rows: readonly (readonly number[])[],
  finished: Float64Array,
  copy: Float64Array,
  across: boolean,
): readonly { readonly places: readonly number[]; readonly ends: boolean }[] =>
  across
    ? [...Map.groupBy(rows.keys(), (r) => copy[r]).values()].map((own) => ({
        places: own.flatMap((r) => rows[r]),
        ends: false,
      }))
    : rows.map((places, r) => ({ places, ends: finished[r] === 1 }));

/** Generalized advantages of a stream behind which `after` follows. */
const advantages = (
  bonuses: readonly number[],
  values: readonly number[],
  after: number,
  { bonusGamma, lambda }: Pick<BonusCredit, 'bonusGamma' | 'lambda'>,
): Float64Array => {
  const last = bonuses.length - 1;
  return generalizedAdvantages(
    bonuses.map((each, step) => (step === last ? each + bonusGamma * after : each)),
    values,
    bonusGamma,
    lambda,
  );
};

/** Bonuses over the running deviation of their discounted sums. */
const scaled = (
  bonus: Float64Array,
  rows: readonly (readonly number[])[],
  gamma: number,
  { memory }: Pick<StageContext, 'memory'>,
): Float64Array => {
  const sums = rows.flatMap((places) => {
    let total = 0;
    return places.map((at) => (total = gamma * total + bonus[at]));
  });
  const seen = withValues((memory.get('bonusCredit') as Running | undefined) ?? nothingSeen, sums);
  memory.set('bonusCredit', seen);
  return bonus.map((each) => each / deviationOf(seen));
};
