import type { InheritedRecipe } from '../../../../preload/contract/inheritance.ts';

interface Mark {
  readonly name: string;
  readonly gain: number;
  readonly retention: number;
}
/** The mean of a recipe as a mark, with its finished runs. `place`: among all recipes, for its colour. */
export interface RecipeMark extends Mark {
  readonly place: number;
  readonly isFront: boolean;
  readonly runs: readonly (Mark & { readonly task: number; readonly runId: string })[];
}

/** The recipes that have finished a run. */
export const markPoints = (recipes: readonly InheritedRecipe[]): RecipeMark[] =>
  recipes.flatMap(({ name, gain, retention, isFront, tasks }, place) => {
    if (gain === null || retention === null) return [];
    const runs = tasks.flatMap((task, at) =>
      task.gain === null || task.retention === null || task.runId === null
        ? []
        : [{ name, task: at, gain: task.gain, retention: task.retention, runId: task.runId }],
    );
    return [{ name, gain, retention, isFront, place, runs }];
  });
