import { updatesOf, type Phase, type Recipe } from './recipe.ts';

/** One batch of rows of one role: sampled, kept, and trained on if `learn`. */
export interface Unit {
  readonly role: string;
  readonly learn: boolean;
  /** The role's rows of this phase join its buffers afterwards. */
  readonly endsTurn: boolean;
}

/** The schedule, unit by unit; endless if its last phase has no `rounds`. */
export function* units(schedule: readonly Phase[]): Generator<Unit> {
  for (const { rounds = Infinity, turns } of schedule) {
    for (let round = 0; round < rounds; round++) {
      for (const [role, batches = 0] of Object.entries(turns)) {
        for (let batch = 0; batch < Math.max(1, batches); batch++)
          yield { role, learn: batches > 0, endsTurn: batch >= batches - 1 };
      }
    }
  }
}

/** Updates per batch of this role. If no role of a recipe trains, a batch counts as one step. */
export const stepsOf = ({ roles }: Recipe, { role, learn }: Unit): number => {
  if (Object.values(roles).every(({ objective }) => !objective)) return 1;
  return learn ? updatesOf(roles[role]) : 0;
};

/** Number of steps of a run: its budget, or fewer if the schedule ends before. */
export const totalSteps = (recipe: Recipe, budget: number): number => {
  let steps = 0;
  for (const unit of units(recipe.schedule)) {
    if (steps >= budget) break;
    steps += stepsOf(recipe, unit);
  }
  return Math.min(steps, budget);
};

/** Steps of other roles before this one trains for the first time; `Infinity` if it never does. */
export const stepsBefore = ({ roles, schedule }: Recipe, name: string): number => {
  let before = 0;
  for (const { rounds = Infinity, turns } of schedule) {
    let round = 0;
    for (const [role, batches = 0] of Object.entries(turns)) {
      if (role === name && batches > 0) return before + round;
      round += batches * updatesOf(roles[role] ?? {});
    }
    before += round === 0 ? 0 : rounds * round;
  }
  return Infinity;
};
