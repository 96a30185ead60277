/** Bonuses for exploring inside a graph, of a network that values them. */
import {
  concat,
  full,
  mean,
  reshape,
  slice,
  square,
  stopGradient,
  sub,
  type Expr,
} from '../../tensor/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { NetworkConfig } from '../../models/config.ts';
import { bonusOutputs } from '../../models/families/network.ts';
import type { Lookup } from '../../models/symbols.ts';
import type { BonusView } from '../kernel/objective.ts';

const noBonus = (what: string): never => {
  throw new WhetstoneError('unsupported', `This network has no ${what}.`, {
    where: 'models.policy',
    hint: 'Choose one that was trained by a method which explores.',
  });
};

/**
 * Rows of T tokens, whose numbers [R · T, W] a network reads. Throws `unsupported` for one without such
 * outputs.
 */
export const bonusView = (
  config: NetworkConfig,
  parameters: Lookup,
  reads_NW: Expr,
  [R, T]: readonly number[],
  other: (name: string) => Lookup,
): BonusView => {
  const own = bonusOutputs(config, parameters, reads_NW);
  return {
    values: () => {
      const after = reshape(own?.bonus ?? noBonus('value of bonuses'), [R, T]);
      return concat([full(0, [R, 1]), slice(after, 1, 0, T - 1)], 1);
    },
    surprise: (model) => {
      const target = bonusOutputs(config, other(model), reads_NW)?.features ?? noBonus('features');
      const error = sub(own?.predicted ?? noBonus('predictor'), stopGradient(target));
      return reshape(mean(square(error), [1]), [R, T]);
    },
  };
};
