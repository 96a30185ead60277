/**
 * Checks that types cannot express, run by a test for every method and when a run is launched; and selects
 * the stages that run.
 */
import * as z from 'zod';
import type { Column, Need } from './columns.ts';
import type { Method } from './method.ts';
import { modelsRead } from './objective.ts';
import { snapshots, type Recipe } from './recipe.ts';
import { isPort, type Stage } from './stage.ts';

/**
 * Faults of a method: its graph must be sound with the defaults, every preset, and every value of every
 * choice. `stubOf` gives it the sources of its kind of task, without data.
 */
export const methodFaults = (method: Method, stubOf: (method: Method) => object): string[] =>
  variants(method).flatMap((params) =>
    problems(method.recipe(params, stubOf(method))).map((problem) => `${JSON.stringify(params)}: ${problem}`),
  );

/** The defaults, each preset, and each enum and boolean parameter set to each of its values. */
export const variants = (method: Method): object[] => [
  {},
  ...Object.values(method.presets),
  ...choices(method.params),
];

const choices = (params: z.ZodObject): object[] =>
  Object.entries(z.toJSONSchema(params).properties ?? {}).flatMap(([name, schema]) => {
    const { enum: values, type } = schema as { enum?: unknown[]; type?: string };
    return (values ?? (type === 'boolean' ? [true, false] : [])).map((value) => ({ [name]: value }));
  });

/**
 * The columns that a role must produce: those its objective reads, those read through buffers, and what a
 * verifier read, for the record.
 */
export const requiredColumns = ({ roles, buffers }: Recipe, name: string): Need[] => [
  ...(roles[name]?.objective?.needs ?? []),
  ...(roles[name]?.verdicts && roles[name].has.includes('shown') ? (['shown'] as const) : []),
  ...Object.values(buffers).flatMap(({ of, keeps = [] }) => (of === name ? keeps : [])),
  ...Object.values(roles)
    .flatMap((reader) => reader.ports)
    .flatMap((port) => {
      const [kind, buffer = '', ...column] = port.split('/');
      return kind === 'buffer' && buffers[buffer]?.of === name ? [column.join('/') as Column] : [];
    }),
];

/** Checks a recipe's names as at run time. Empty if it is valid. */
export const problems = (recipe: Recipe): string[] => {
  const { roles, buffers } = recipe;
  const found: string[] = [];
  const offered = new Set<string>([...snapshots, ...Object.keys(roles)].map((name) => `model/${name}`));
  for (const [name, { of }] of Object.entries(buffers)) {
    if (!roles[of]) found.push(`buffer '${name}' holds rows of '${of}', which is not a role`);
    const others = Object.values(buffers).filter((other) => other.of === of);
    if (others.some(({ unselected = false }) => unselected !== (buffers[name].unselected ?? false)))
      found.push(`buffer '${name}': the buffers of '${of}' must all hold selected rows, or all every row`);
    for (const column of roles[of]?.has ?? []) offered.add(`buffer/${name}/${column}`);
  }
  for (const name of Object.keys(roles)) found.push(...roleProblems(recipe, name, offered));
  return [...found, ...snapshotProblems(recipe), ...turnProblems(recipe)];
};

/** A role must not be named like a snapshot, and an average must be defined in range if a stage refers to it. */
const snapshotProblems = ({ roles, averaging }: Recipe): string[] => {
  const found = snapshots.filter((name) => name in roles).map((name) => `${name}: is the name of a snapshot`);
  if (!averaging) {
    const reader = Object.keys(roles).find(
      (name) =>
        roles[name].ports.includes('model/average') || modelsRead(roles[name].objective).includes('average'),
    );
    return reader
      ? [...found, `${reader}: needs 'model/average', and nothing says how it is averaged`]
      : found;
  }
  const isInRange =
    'every' in averaging
      ? Number.isInteger(averaging.every) && averaging.every >= 1
      : averaging.decay >= 0 && averaging.decay < 1;
  return isInRange ? found : [...found, `averaging: ${JSON.stringify(averaging)} is out of range`];
};

const roleProblems = ({ roles, schedule }: Recipe, name: string, offered: ReadonlySet<string>): string[] => {
  const { stages, objective } = roles[name];
  const found: string[] = [];
  const have = new Set<string>();
  const report = (id: string, what: string) => found.push(`${name}: '${id}' ${what}`);
  const check = ({ id, needs }: { id: string; needs: readonly Need[] }) => {
    for (const need of needs)
      if (!(isPort(need) ? offered : have).has(need)) report(id, `needs '${need}', which nothing provides`);
  };
  stages.forEach((stage, at) => {
    const needs: readonly string[] = stage.needs;
    check(stage);
    if (at > 0 && stage.adds.length > 0 && stage.needs.every(isPort))
      report(stage.id, 'is a source, but does not come first');
    for (const column of stage.adds.filter((c) => have.has(c) && !needs.includes(c)))
      report(stage.id, `overwrites '${column}' without reading it`);
    for (const column of stage.adds) have.add(column);
  });
  if (!objective) return found;
  check(objective);
  for (const model of modelsRead(objective))
    if (!offered.has(`model/${model}`))
      report(objective.id, `reads 'model/${model}', which nothing provides`);
  if (objective.terms.length === 0 && !objective.fit)
    report(objective.id, 'has no term left: every weight is 0');
  const units = new Set(objective.terms.map((t) => t.unit).filter((unit) => unit > 1));
  if (units.size > 1) report(objective.id, `mixes terms over groups of ${[...units].join(' and ')} rows`);
  if (!schedule.some(({ turns }) => turns[name]))
    found.push(`${name}: has an objective, but no turn to learn in`);
  return found;
};

/** A phase must name a role, which must find rows in the buffer that it starts from. */
const turnProblems = ({ roles, buffers, schedule }: Recipe): string[] => {
  const found: string[] = [];
  const played = new Set<string>();
  schedule.slice(0, -1).forEach(({ rounds }, at) => {
    if (rounds === undefined)
      found.push(`phase ${at + 1} of the schedule has no end, so the next one never begins`);
  });
  for (const [name, updates] of schedule.flatMap(({ turns }) => Object.entries(turns))) {
    const role = roles[name];
    if (!role) found.push(`the schedule names '${name}', which is not a role`);
    if (updates && role && !role.objective)
      found.push(`${name}: is frozen and cannot learn; give it 0 updates`);
    for (const buffer of role?.stages[0]?.needs
      .filter(isPort)
      .map((port) => buffers[port.split('/')[1] ?? '']) ?? []) {
      if (buffer && !played.has(buffer.of))
        found.push(`${name}: takes a turn before '${buffer.of}' has made any rows`);
    }
    played.add(name);
  }
  return [...new Set(found)];
};

/**
 * The stages that run: those whose columns are needed, and those that change the set of rows (an active
 * filter reads columns, an inactive one does not).
 */
export const liveStages = (stages: readonly Stage[], required: Iterable<Need>): Stage[] => {
  const needed = new Set<Need>(required);
  return stages
    .toReversed()
    .filter((s) => {
      const runs = s.adds.length === 0 ? s.needs.length > 0 : s.adds.some((column) => needed.has(column));
      if (runs) s.needs.forEach((need) => needed.add(need));
      return runs;
    })
    .toReversed();
};
