import { WhetstoneError } from '../common/errors.ts';
import { arithmetic } from './arithmetic.ts';
import { baseConversion } from './base-conversion.ts';
import { countdown } from './countdown.ts';
import { graphColouring } from './graph-colouring.ts';
import { program } from './program.ts';
import { grid } from './grid.ts';
import { knights } from './knights.ts';
import { sql } from './sql.ts';
import { sorting } from './sorting.ts';
import { spelling } from './spelling.ts';
import { bandit } from './toy/bandit.ts';
import { copy } from './toy/copy.ts';
import { errands } from './toy/errands.ts';
import { pairs } from './toy/pairs.ts';
import { rewriting } from './toy/rewriting.ts';
import { steps } from './toy/steps.ts';
import { sums } from './toy/sums.ts';
import { lookup } from './lookup.ts';
import { tools } from './tools.ts';
import { triggers } from './toy/triggers.ts';
import { turns } from './toy/turns.ts';
import { users } from './toy/users.ts';
import type { World, WorldKind } from './world.ts';

/** Every world. A new one is its file and one line here; tests/contracts/every-world finds it. */
export const worlds: readonly WorldKind[] = [
  arithmetic,
  sorting,
  countdown,
  graphColouring,
  spelling,
  baseConversion,
  program,
  sql,
  grid,
  knights,
  tools,
  lookup,
  copy,
  rewriting,
  pairs,
  users,
  steps,
  sums,
  bandit,
  triggers,
  errands,
  turns,
];

/** Opens a world by id. Throws `not-found` for an unknown id, `invalid-input` for invalid parameters. */
export const openWorldById = (id: string, params: unknown = {}): World => {
  const kind = worlds.find((world) => world.id === id);
  if (!kind)
    throw new WhetstoneError('not-found', `There is no world "${id}".`, {
      hint: `Worlds: ${worlds.map((world) => world.id).join(', ')}.`,
    });
  return kind.open(params);
};

export { played, replayed, type TurnOutcome, type Turns } from './turns.ts';
export { judgedBy } from './world.ts';
export type {
  DemonstrationKind,
  Problem,
  Split,
  StepVerdict,
  World,
  WorldDemonstration,
  WorldKind,
  WorldPreference,
  WorldVerdict,
} from './world.ts';
export { defineWorld } from './world.ts';
export { colourings, completeBipartite, cycle, petersen, type Graph } from './graph.ts';
export { countdownSolvable, reachable } from './countdown.ts';
