import { WhetstoneError } from '../common/errors.ts';
import { acrobot } from './acrobot.ts';
import { cartPole } from './cart-pole.ts';
import type { ControlWorld } from './control-world.ts';
import { deepSea } from './deep-sea.ts';
import { fourRooms, largeRooms } from './four-rooms.ts';
import { keyDoor } from './key-door.ts';
import { laneGrid } from './lane-grid.ts';
import { mountainCar } from './mountain-car.ts';
import { pendulum } from './pendulum.ts';
import { pointMaze, pointMazeAnywhere, pointMazeCost, pointMazeCostAnywhere } from './point-maze.ts';

export type { ActionSpace, Cells, ControlWorld } from './control-world.ts';
export { bestChoice, drawChoice, exploreChoice } from './choices.ts';
export { drawNumbers, meanNumbers } from './numbers.ts';
export { actionSize, outputNames, withinBounds } from './control-world.ts';
export { Copies, type SavedCopies } from './copies.ts';
export { Watch, type SavedWatch, type Watched } from './charts/watch.ts';
export { checkWatched, compileWatched } from './charts/watched.ts';
export { Latents } from './latent.ts';
export { Visits } from './visits.ts';

/** Every control world, in the order of lists. */
export const controlWorlds: readonly ControlWorld[] = [
  cartPole,
  pendulum,
  mountainCar,
  acrobot,
  fourRooms,
  largeRooms,
  deepSea,
  keyDoor,
  pointMaze,
  pointMazeCost,
  pointMazeAnywhere,
  pointMazeCostAnywhere,
  laneGrid,
];

/** Throws `invalid-input` for an unknown id. */
export const controlWorldById = (id: string, where: string): ControlWorld => {
  const found = controlWorlds.find((world) => world.id === id);
  if (found) return found;
  throw new WhetstoneError('invalid-input', `There is no control world '${id}'.`, {
    where,
    hint: `Known: ${controlWorlds.map((world) => world.id).join(', ')}.`,
  });
};
