import type { Columns, PerToken, TokenValues } from '../../kernel/columns.ts';
import { observedOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { answerPlaces } from '../math/places.ts';

/**
 * A row for each step of a control world: the action behind a 0, with what was observed before and after it. For
 * models without memory, whose minibatches are drawn among steps.
 */
export const singleSteps = stage({
  id: 'singleSteps',
  station: 'selection',
  needs: ['tokens', 'mask', 'weight', 'behaviorLogp', 'values', 'advantage', 'returns', 'row/finished'],
  adds: ['tokens', 'mask', 'weight', 'behaviorLogp', 'values', 'advantage', 'returns', 'row/finished'],
  run: async ({ tokens, mask, weight, 'row/finished': finished, ...rest }) => {
    const steps = answerPlaces(mask).flatMap((places, r) =>
      places.map((at, step) => ({ at, r, isLast: step === places.length - 1 })),
    );
    const count = steps.length;
    const offsets = Uint32Array.from({ length: count + 1 }, (_, r) => 2 * r);
    /** Each step's own value behind a 0. */
    const single = <V extends TokenValues>({ values }: PerToken<V>): PerToken<V> => {
      const own = new (values.constructor as new (length: number) => V)(2 * count);
      steps.forEach(({ at }, r) => {
        own[2 * r + 1] = values[at];
      });
      return { axis: 'T', values: own, offsets };
    };
    const { values: seen, width } = tokens.observed ?? { values: new Float32Array(0), width: 0 };
    const observed = observedOf(
      steps.map(({ at }) => seen.subarray((at - 1) * width, (at + 1) * width)),
      width,
    );
    const columns: Pick<Columns, 'tokens' | 'mask' | 'weight' | 'row/finished'> = {
      tokens: { ...single(tokens), observed },
      mask: single(mask),
      weight: Float64Array.from(steps, ({ r }) => weight[r]),
      'row/finished': Float64Array.from(steps, ({ r, isLast }) => (isLast ? finished[r] : 0)),
    };
    return {
      from_R: Uint32Array.from(steps, ({ r }) => r),
      columns: {
        ...columns,
        behaviorLogp: single(rest.behaviorLogp),
        values: single(rest.values),
        advantage: single(rest.advantage),
        returns: single(rest.returns),
      },
    };
  },
});
