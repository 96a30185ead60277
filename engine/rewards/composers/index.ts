import { WhetstoneError } from '../../common/errors.ts';
import type { Component, Composer, ComposerChoice, Composition } from './composer.ts';
import { constrained } from './constrained.ts';
import { gate } from './gate.ts';
import { hypervolume } from './hypervolume.ts';
import { least } from './least.ts';
import { most } from './most.ts';
import { perComponent } from './per-component.ts';
import { product } from './product.ts';
import { stages } from './stages.ts';
import { tchebycheff } from './tchebycheff.ts';

/**
 * Every composer besides the weighted sum, which a run uses without one. A new one is its file and one line
 * here; tests/contracts/every-composer finds it.
 */
export const composers: readonly Composer[] = [
  product,
  gate,
  stages,
  least,
  most,
  perComponent,
  constrained,
  tchebycheff,
  hypervolume,
];

/**
 * Opens the composer of a specification for its scorers. Throws `invalid-input` with the path of the field
 * that is unknown or does not fit.
 */
export const openComposer = (
  { id, params }: ComposerChoice,
  components: readonly Component[],
): Composition => {
  const composer = composers.find((one) => one.id === id);
  if (!composer)
    throw new WhetstoneError('invalid-input', `There is no composer '${id}'.`, {
      where: 'composer.id',
      hint: `There are: ${composers.map((one) => one.id).join(', ')}; without one, the weighted sum.`,
    });
  if (!components.some(({ weight }) => weight !== 0))
    throw new WhetstoneError('invalid-input', 'A composer needs rewards, at least one of a weight.', {
      where: 'composer.id',
      hint: 'Add rewards, or remove the composer.',
    });
  return composer.open(params, components);
};
