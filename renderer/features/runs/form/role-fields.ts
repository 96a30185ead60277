import { humanize } from '../../../lib/format.ts';
import type { Method, TaskKind } from '../../../lib/methods.ts';
import { fieldOf, fieldsOf, type Field, type GroupField } from './fields.ts';
import type { Draft } from './draft.svelte.ts';
import type { Catalogue } from './stock.ts';

export type Role = Method['roles'][number];
type Values = Readonly<Record<string, unknown>>;
type Schema = Readonly<Record<string, unknown>>;

/** Names of the roles whose models the run must name. */
export const modelsNeeded = (method: Pick<Method, 'roles'> | undefined): readonly string[] =>
  (method?.roles ?? []).filter(({ needsModel }) => needsModel).map(({ name }) => name);

/** A model's sources: in control worlds networks alone, which read no text; elsewhere all others. */
export const modelsIn = (field: Field, trainsOn: TaskKind['trainsOn'] | undefined): Field => {
  if (field.kind !== 'union') return field;
  const isOffered = (source: string) =>
    trainsOn === 'steps' ? source === 'network' || source === 'checkpoint' : source !== 'network';
  return { ...field, options: field.options.filter(({ value }) => isOffered(value)) };
};

/** The model of a role: the choices of the policy, or none, and it starts as the policy. */
export function modelField(
  { spec }: Catalogue,
  { name, needsModel }: Role,
  trainsOn: TaskKind['trainsOn'] | undefined,
): Field {
  const { models } = spec.properties as Record<string, { readonly properties: { readonly policy: Schema } }>;
  const path = ['models', name];
  const any = fieldOf(models.properties.policy, path, needsModel, spec);
  const field = any && modelsIn(any, trainsOn);
  if (field?.kind === 'union')
    return needsModel ? field : { ...field, label: 'Model', hint: START, blank: 'as the policy' };
  return { kind: 'json', path, key: name, label: name, hint: '', fallback: undefined, required: needsModel };
}
const START = 'Where it starts; as the policy: from a copy of the policy’s start.';

/** The settings that a role may have of its own, as a group of fields; empty ones are the run’s. */
export function roleGroup(
  catalogue: Catalogue,
  role: Role,
  models: Values | undefined,
  trainsOn: TaskKind['trainsOn'] | undefined,
): GroupField {
  const { name, learns, samples, scores, needsModel } = role;
  const { roles } = catalogue.spec.properties as Record<string, { readonly additionalProperties: Schema }>;
  const path = ['roles', name];
  const source = models?.[name] as { readonly kind?: unknown } | undefined;
  const has: Readonly<Record<string, boolean>> = {
    adapter: learns && source !== undefined && source.kind !== 'new',
    optimizer: learns,
    sampling: samples,
    rewards: scores,
  };
  const settings = fieldsOf(roles.additionalProperties, path, catalogue.spec)
    .filter(({ key }) => has[key])
    .map((field): Field => {
      if (field.kind === 'union') return { ...field, blank: 'as the policy' };
      return field.kind === 'list'
        ? { ...field, label: 'Scorers', hint: 'If empty: the scorers of the run.' }
        : field;
    });
  return {
    kind: 'group',
    path,
    key: name,
    label: humanize(name),
    hint: '',
    fallback: undefined,
    required: false,
    fields: [...(needsModel ? [] : [modelField(catalogue, role, trainsOn)]), ...settings],
  };
}

/** What a role has of its own, in words. */
export const ownOf = (name: string, draft: Pick<Draft, 'get'>): readonly string[] => {
  const settings = Object.keys((draft.get(['roles', name]) ?? {}) as Values);
  return [...(draft.get(['models', name]) === undefined ? [] : ['model']), ...settings];
};

const keysAt = (draft: Draft, path: readonly string[]): readonly string[] =>
  Object.keys((draft.get(path) ?? {}) as Values);

/**
 * Removes models and settings of roles that the method does not have, and settings without a value. Reads and
 * writes no other part of the draft, since it runs after each change.
 */
export function keepRoles(roles: readonly Role[], draft: Draft): void {
  const others = (part: string) =>
    keysAt(draft, [part]).filter((key) => key !== 'policy' && !roles.some(({ name }) => name === key));
  for (const name of others('models')) draft.set(['models', name], undefined);
  for (const name of others('roles')) draft.set(['roles', name], undefined);
  const empty = (path: readonly string[]) => {
    if (keysAt(draft, path).length === 0) draft.set(path, undefined);
  };
  for (const name of keysAt(draft, ['roles'])) {
    for (const key of keysAt(draft, ['roles', name]))
      if (key === 'optimizer' || key === 'sampling') empty(['roles', name, key]);
    empty(['roles', name]);
  }
  if (draft.get(['roles']) !== undefined) empty(['roles']);
}
