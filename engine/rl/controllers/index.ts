import { Control, type ControlFacts, type Controller } from '../kernel/control.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { aepo } from './aepo.ts';
import { bStar } from './b-star.ts';
import { ead } from './ead.ts';
import { ghpo } from './ghpo.ts';
import { knapsack } from './knapsack.ts';
import { mpts } from './mpts.ts';
import { pcl } from './pcl.ts';
import { sec } from './sec.ts';
import { seele } from './seele.ts';
import { zerosearch } from './zerosearch.ts';

/** Every controller. A new one is its file and one line here; tests/contracts/every-controller finds it. */
export const controllers: readonly Controller[] = [
  sec,
  pcl,
  mpts,
  knapsack,
  aepo,
  bStar,
  ead,
  ghpo,
  seele,
  zerosearch,
];

/**
 * Opens the controllers of a run. Throws `not-found` for an unknown id, and the errors of a controller's
 * `open`.
 */
export const openControl = (
  specs: readonly { readonly id: string; readonly params: object }[],
  facts: ControlFacts,
): Control =>
  new Control(
    specs.map(({ id, params }) => {
      const controller = controllers.find((one) => one.id === id);
      if (!controller)
        throw new WhetstoneError('not-found', `There is no controller '${id}'.`, { where: 'controllers' });
      return { id, live: controller.open(params, facts) };
    }),
  );
