import { fieldOf, type Field, type GroupField, type NamedField } from './fields.ts';
import type { Named } from './context.ts';
import type { Draft } from './draft.svelte.ts';
import { modelField, roleGroup, modelsIn, type Role } from './role-fields.ts';
import type { TaskKind } from '../../../lib/methods.ts';
import type { Catalogue } from './stock.ts';

/** Sections of settings that are folded by default. */
export const folded = ['optimizer', 'sampling', 'evaluation', 'checkpoints'] as const;

type Values = Readonly<Record<string, unknown>>;

/** The fields of the launch form by section: exactly those on the screen. */
export interface Sections {
  /** Shown above all others: steps and learning rate. */
  readonly basic: readonly Field[];
  readonly method: NamedField;
  readonly task: Field | null;
  readonly model: readonly Field[];
  /** Settings of the method's further roles, by role. */
  readonly roles: readonly GroupField[];
  readonly rewards: Field | null;
  /** Makes their total, if it is not the weighted sum. */
  readonly composer: Field | null;
  /** Demands on the judges among the rewards. */
  readonly demand: readonly Field[];
  readonly controllers: Field | null;
  readonly budget: readonly Field[];
  readonly folded: readonly { readonly key: (typeof folded)[number]; readonly fields: readonly Field[] }[];
  readonly name: Field | null;
}

export const allOf = ({
  basic,
  method,
  task,
  model,
  roles,
  rewards,
  composer,
  demand,
  controllers,
  budget,
  folded: rest,
  name,
}: Sections): Field[] =>
  [
    method,
    ...basic,
    task,
    ...model,
    ...roles,
    rewards,
    composer,
    ...demand,
    controllers,
    ...budget,
    ...rest.flatMap(({ fields }) => fields),
    name,
  ].filter((field) => field !== null);

/** Sections about rewards, for methods that learn from them. */
export const ofRewards = ['rewards', 'composer', 'controllers'] as const;

/** Entries for a composer, a scorer of a dataset’s rows, a controller or a world. */
export const registryOf = (catalogue: Catalogue, path: readonly string[]): readonly Named[] => {
  if (path.includes('composer')) return catalogue.composers;
  // rows of a dataset have no world
  if (path.includes('scorer')) return catalogue.rewards.filter(({ needs }) => !needs.includes('world'));
  return path.includes('controllers') ? catalogue.controllers : catalogue.worlds;
};

/**
 * The steps of a run: updates of an optimizer; batches of prompts, where the run only asks; none, where a head is
 * solved in closed form.
 */
export type Steps = 'updates' | 'batches' | 'none';

const basicPaths = ['budget.steps', 'optimizer.learningRate'];

const methodField: NamedField = {
  kind: 'named',
  path: ['method'],
  key: 'method',
  label: 'Method',
  hint: '',
  fallback: undefined,
  required: true,
  nullable: false,
  fields: [],
};

/** `kind`: the method's training data. `withRewards`: scorers and controllers are shown. */
export function sectionsOf(
  catalogue: Catalogue,
  kind: TaskKind | undefined,
  withRewards: boolean,
  steps: Steps,
  roles: readonly Role[] = [],
  draft: Pick<Draft, 'get'> = { get: () => undefined },
): Sections {
  const properties = (catalogue.spec.properties ?? {}) as Record<string, Record<string, unknown>>;
  const section = (key: string): Field | null =>
    properties[key] ? fieldOf(properties[key], [key], true, catalogue.spec) : null;
  const inside = (key: string): readonly Field[] => {
    const field = section(key);
    return field?.kind === 'group' ? field.fields : field ? [field] : [];
  };
  const isBasic = ({ path }: Field): boolean => basicPaths.includes(path.join('.'));
  const others = (key: string): readonly Field[] => inside(key).filter((field) => !isBasic(field));
  const basicIn = (key: string): readonly Field[] => inside(key).filter(isBasic);
  const further = evaluationsField(section('evaluations'), roles, draft);
  return {
    basic: {
      updates: [...basicIn('budget'), ...basicIn('optimizer')],
      batches: basicIn('budget').map((field) => ({ ...field, hint: 'Batches of prompts that are asked.' })),
      none: [],
    }[steps],
    method: methodField,
    task: taskField(section('task'), kind),
    model: [
      ...inside('models').map((field) => modelsIn(field, kind?.trainsOn)),
      ...roles
        .filter(({ needsModel }) => needsModel)
        .map((role) => modelField(catalogue, role, kind?.trainsOn)),
      ...inside('adapter'),
    ],
    roles: roles.map((role) =>
      roleGroup(catalogue, role, draft.get(['models']) as Values | undefined, kind?.trainsOn),
    ),
    rewards: withRewards ? rewardsField(section('rewards'), kind) : null,
    composer: withRewards ? composerField(section('composer')) : null,
    demand: withRewards ? inside('demand') : [],
    controllers: withRewards ? controllersField(section('controllers')) : null,
    budget: ['budget', 'seed', 'device'].flatMap(others),
    folded: folded
      .filter((key) => steps === 'updates' || key !== 'optimizer')
      .map((key) => ({ key, fields: [...others(key), ...(key === 'evaluation' ? further : [])] })),
    name: section('name'),
  };
}

/** The list of further evaluations, whose items have the fields that apply to their world or dataset. */
function evaluationsField(
  field: Field | null,
  roles: readonly Role[],
  draft: Pick<Draft, 'get'>,
): readonly Field[] {
  if (field?.kind !== 'list') return [];
  const item = (index: number): Field => {
    const inner = field.item(index);
    if (inner.kind !== 'group') return inner;
    const holds = (key: string) => draft.get([...inner.path, key]) !== undefined;
    const hidden = [
      ...(holds('datasetId') ? ['world'] : ['version', 'part', 'scorer']),
      ...(holds('world') ? ['datasetId'] : []),
      ...(roles.some(({ writes }) => writes) ? [] : ['role']),
    ].filter((key) => !holds(key));
    return { ...inner, fields: inner.fields.filter(({ key }) => !hidden.includes(key)) };
  };
  return [{ ...field, item }];
}

/** The task union, limited to the data that the chosen method can learn from. */
function taskField(field: Field | null, kind: TaskKind | undefined): Field | null {
  if (field?.kind !== 'union' || !kind) return field;
  const fit: readonly string[] = kind.offeredBy;
  const options = field.options
    .filter(({ value }) => fit.includes(value))
    .sort((a, b) => fit.indexOf(a.value) - fit.indexOf(b.value));
  return { ...field, label: 'Learn from', options };
}

function rewardsField(field: Field | null, kind: TaskKind | undefined): Field | null {
  const none =
    kind?.rewards === 'needed'
      ? 'If empty: the world’s verifier, or the dataset’s references. The total is the weighted sum, or a composer’s.'
      : 'Recorded with each answer.';
  return field && { ...field, label: 'Scorers', hint: field.hint || none };
}

/** The composer; without one the total is the weighted sum. */
export const composerField = (field: Field | null): Field | null =>
  field && { ...field, label: 'Total', required: false };

const controllersField = (field: Field | null): Field | null => field && { ...field, label: 'Controllers' };
