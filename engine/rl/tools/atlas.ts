/** Describes recipes as their stations, derived from their parts. */
import type { RecipeFacts, RecipePart } from '../../schema/atlas.ts';
import type { Need } from '../kernel/columns.ts';
import { liveStages, requiredColumns } from '../kernel/check.ts';
import type { Method } from '../kernel/method.ts';
import type { Objective } from '../kernel/objective.ts';
import type { Role } from '../kernel/recipe.ts';
import { isPort, type Stage } from '../kernel/stage.ts';
import { stubOf } from '../tasks/kinds/index.ts';

const isOff = ({ needs, adds }: Stage): boolean => needs.length === 0 && adds.length === 0;
const inputsOf = (needs: readonly Need[]): string[] => [
  ...new Set(needs.filter(isPort).map((port) => port.split('/').slice(0, 2).join('/'))),
];
const partOf = ({
  id,
  station,
  needs,
  adds,
}: Omit<Stage, 'run'> | (Objective & { adds: [] })): RecipePart => ({
  station,
  id,
  reads: needs.filter((need) => !isPort(need)),
  adds: [...adds],
  inputs: inputsOf(needs),
});

/** A method's recipe with some parameters: for each role the parts that run, and its objective. */
export const recipeFacts = (method: Method, params: unknown = {}): RecipeFacts => {
  const recipe = method.recipe(params, stubOf(method));
  const names = Object.keys(recipe.roles);
  const roleFacts = ([name, role]: [string, Role]): RecipeFacts['roles'][number] => {
    const { objective } = role;
    const parts = liveStages(role.stages, [...requiredColumns(recipe, name), ...(objective ? [] : role.has)])
      .filter((stage) => !isOff(stage))
      .map(partOf);
    const all = objective ? [...parts, partOf({ ...objective, adds: [] })] : parts;
    const inputs = all
      .flatMap((part) => part.inputs)
      .map((port) => port.split('/'))
      .map(([kind, of]) => (kind === 'buffer' ? recipe.buffers[of].of : of));
    return {
      name,
      parts: all,
      terms: objective ? objective.terms.map(({ id, weight }) => ({ id, weight })) : [],
      epochs: role.epochs ?? 1,
      restarts: role.restarts ?? false,
      readsFrom: [...new Set(inputs)].filter((of) => of !== name && names.includes(of)),
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
