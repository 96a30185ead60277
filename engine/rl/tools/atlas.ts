/** Recipes as their stations, read off what their parts say about themselves. */
import type { RecipeFacts, RecipePart, Station } from '../../schema/atlas.ts';
import { live, stubTasks, wanted } from '../kernel/check.ts';
import type { Method } from '../kernel/method.ts';
import type { Role } from '../kernel/recipe.ts';
import { isPort, type Stage } from '../kernel/stage.ts';

/** Where a part stands: by the columns that it adds, and what it reads for them. */
export const stationOf = ({ needs, adds }: Pick<Stage, 'needs' | 'adds'>): Station => {
  const adding = (...prefixes: readonly string[]): boolean =>
    adds.some((column) => prefixes.some((prefix) => column === prefix || column.startsWith(`${prefix}/`)));
  if (adds.length === 0) return 'selection';
  if (adding('behaviorLogp')) return 'sampler';
  if (needs.every(isPort)) return needs.length > 0 ? 'rows' : 'start';
  if (adding('reward') || needs.includes('completion')) return 'scorers';
  if (adding('advantage', 'returns', 'values', 'credit')) return 'credit';
  if (adding('pairId', 'agreement')) return 'selection';
  if (adding('logp', 'mean-logp')) return 'reference';
  return adding('tokens', 'mask') ? 'context' : 'credit';
};

const isOff = ({ needs, adds }: Stage): boolean => needs.length === 0 && adds.length === 0;
const askedBy = (needs: readonly string[]): string[] => [
  ...new Set(
    needs.filter((need) => isPort(need as never)).map((port) => port.split('/').slice(0, 2).join('/')),
  ),
];
const partOf = (
  station: Station,
  {
    id,
    needs,
    adds,
  }: { readonly id: string; readonly needs: readonly string[]; readonly adds: readonly string[] },
): RecipePart => ({
  station,
  id,
  reads: needs.filter((need) => !isPort(need as never)),
  adds: [...adds],
  asks: askedBy(needs),
});

/** A method's recipe with some parameters: of each role the parts that run, and what it learns by. */
export const recipeFacts = (method: Method, params: unknown = {}): RecipeFacts => {
  const recipe = method.recipe(params, stubTasks[method.task]);
  const names = Object.keys(recipe.roles);
  const roleFacts = ([name, role]: [string, Role]): RecipeFacts['roles'][number] => {
    const { objective } = role;
    const parts = live(role.stages, [...wanted(recipe, name), ...(objective ? [] : role.has)])
      .filter((stage) => !isOff(stage))
      .map((stage) => partOf(stationOf(stage), stage));
    const all = objective ? [...parts, partOf('objective', { ...objective, adds: [] })] : parts;
    const asked = all
      .flatMap(({ asks }) => asks)
      .map((port) => port.split('/'))
      .map(([kind, of]) => (kind === 'buffer' ? recipe.buffers[of].of : of));
    return {
      name,
      parts: all,
      terms: objective ? objective.terms.map(({ id, weight }) => ({ id, weight })) : [],
      passes: role.passes ?? 1,
      restarts: role.restarts ?? false,
      readsFrom: [...new Set(asked)].filter((of) => of !== name && names.includes(of)),
    };
  };
  return {
    roles: Object.entries(recipe.roles).map(roleFacts),
    schedule: recipe.schedule.map(({ rounds = null, turns }) => ({
      rounds,
      turns: Object.fromEntries(Object.entries(turns).map(([name, count = 0]) => [name, count])),
    })),
  };
};
