import type { Column, Columns, PerToken, TokenValues } from '../../kernel/columns.ts';
import { observedOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { answerPlaces } from '../math/places.ts';

/** Columns of one number a token, which the steps of a row may carry along. */
type Carried =
  | 'behaviorLogp'
  | 'values'
  | 'advantage'
  | 'returns'
  | 'credit/earned'
  | 'credit/bonus'
  | 'credit/bonusReturns';
const own = ['tokens', 'mask', 'weight', 'row/finished', 'row/terminal'] as const;

/**
 * A row for each step of a control world: the action behind a 0, with what was observed before and after it,
 * and the step's own values of the carried columns. For models without memory, whose batches are drawn among
 * steps.
 */
export const singleSteps = <const C extends Carried & Column>(...carried: readonly C[]) =>
  stage({
    id: 'singleSteps',
    station: 'selection',
    needs: [...own, ...carried],
    adds: [...own, ...carried],
    run: async (inputs) => {
      const rows = inputs as unknown as Pick<Columns, Carried | (typeof own)[number]>;
      const { tokens, mask, weight } = rows;
      const steps = answerPlaces(mask).flatMap((places, r) =>
        places.map((at, step) => ({ at, r, isLast: step === places.length - 1 })),
      );
      const count = steps.length;
      const offsets = Uint32Array.from({ length: count + 1 }, (_, r) => 2 * r);
      /** Each step's own value behind a 0. */
      const single = <V extends TokenValues>({ values }: PerToken<V>): PerToken<V> => {
        const each = new (values.constructor as new (length: number) => V)(2 * count);
        steps.forEach(({ at }, r) => {
          each[2 * r + 1] = values[at];
        });
        return { axis: 'T', values: each, offsets };
      };
      const { values: seen, width } = tokens.observed ?? { values: new Float32Array(0), width: 0 };
      const observed = observedOf(
        steps.map(({ at }) => seen.subarray((at - 1) * width, (at + 1) * width)),
        width,
      );
      const onLast = (ends: Float64Array) =>
        Float64Array.from(steps, ({ r, isLast }) => (isLast ? ends[r] : 0));
      return {
        from_R: Uint32Array.from(steps, ({ r }) => r),
        columns: {
          tokens: { ...single(tokens), observed },
          mask: single(mask),
          weight: Float64Array.from(steps, ({ r }) => weight[r]),
          'row/finished': onLast(rows['row/finished']),
          'row/terminal': onLast(rows['row/terminal']),
          ...Object.fromEntries(carried.map((name) => [name, single(rows[name] as PerToken<TokenValues>)])),
        } as never,
      };
    },
  });
