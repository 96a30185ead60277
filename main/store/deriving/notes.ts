import type { Recipe } from '../../../preload/contract/deriving.ts';

/** The query of a source, for a sentence. */
const queryText = (query: string): string => (query.trim() === '' ? 'all rows' : `rows of “${query.trim()}”`);

/** The way in which a recipe uses one of its sources, in a few words. */
export function recipeNote(recipe: Recipe, at: number): string {
  switch (recipe.kind) {
    case 'query':
      return queryText(recipe.from.query);
    case 'sample':
      return `a sample of ${queryText(recipe.from.query)}${recipe.by === null ? '' : ` by ${recipe.by}`}, seed ${recipe.seed}`;
    case 'mixture':
      return `weight ${recipe.from[at].weight} of a mixture, ${queryText(recipe.from[at].query)}, seed ${recipe.seed}`;
  }
}
