import type { Phase, Recipe } from './recipe.ts';

/** One batch of rows of one role: made, kept, and learned from where `learn` says so. */
export interface Unit {
  readonly role: string;
  readonly learn: boolean;
  /** After it the role's rows of this turn join their buffers. */
  readonly endsTurn: boolean;
}

/** The schedule, unit by unit; endless where its last phase has no `rounds`. */
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

/** Updates in one batch of this role. Where no role of a recipe learns, a batch counts as one step. */
export const stepsOf = ({ roles }: Recipe, { role, learn }: Unit): number => {
  if (Object.values(roles).every(({ objective }) => !objective)) return 1;
  return learn ? (roles[role].epochs ?? 1) : 0;
};

/** Steps that a run will take: its budget, or less where the schedule ends before. */
export const totalSteps = (recipe: Recipe, budget: number): number => {
  let steps = 0;
  for (const unit of units(recipe.schedule)) {
    if (steps >= budget) break;
    steps += stepsOf(recipe, unit);
  }
  return Math.min(steps, budget);
};

/** Steps that other roles take before this one learns for the first time; `Infinity` where it never does. */
export const stepsBefore = ({ roles, schedule }: Recipe, name: string): number => {
  let before = 0;
  for (const { rounds = Infinity, turns } of schedule) {
    let round = 0;
    for (const [role, batches = 0] of Object.entries(turns)) {
      if (role === name && batches > 0) return before + round;
      round += batches * (roles[role]?.epochs ?? 1);
    }
    before += round === 0 ? 0 : rounds * round;
  }
  return Infinity;
};
