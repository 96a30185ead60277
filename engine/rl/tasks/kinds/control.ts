import { WhetstoneError } from '../../../common/errors.ts';
import { actIn, exploreIn, moveIn, moveLaterIn, noiseIn } from '../control-source.ts';
import { defineTaskKind } from '../task-kind.ts';

/**
 * Steps in copies of a control world, chosen by the policy: `act`, `explore` and `move` give pieces of
 * episodes.
 */
export const control = defineTaskKind({
  kind: 'control',
  title: 'steps in a control world',
  summary: 'steps in a control world',
  offeredBy: ['control'],
  trainsOn: 'steps',
  rewards: 'optional',
  sources: ({ control: world, charts = [] }) => {
    if (!world)
      throw new WhetstoneError('invalid-input', 'This task is no control world.', { where: 'task' });
    const place = { world, charts };
    return {
      act: actIn(place),
      explore: exploreIn(place),
      move: moveIn(place),
      moveLater: moveLaterIn(place),
      noise: noiseIn(world),
    };
  },
});
