import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { openServices } from '../headless/open.ts';
import { entriesOf } from '../store/pages.ts';
import type { Command, NamedArgument, Values } from './command.ts';

type Api = Awaited<ReturnType<typeof openServices>>['api'];
type Kind = NamedArgument['kind'];
interface Entry {
  readonly id: string;
  readonly name: string;
}

const isId = (given: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(given);
const listOf: Readonly<Record<Kind, (api: Api) => Promise<readonly Entry[]>>> = {
  dataset: (api) => entriesOf((before) => api.datasets.list({ before })),
  'label set': (api) => entriesOf((before) => api.labels.sets({ before })),
};
/** Most names that a hint lists. */
const MOST = 8;

/**
 * The id of the entry with this id or name. Throws `not-found` if there is none, and `invalid-input` if
 * several have the name.
 */
export function idAmong(entries: readonly Entry[], given: string, kind: Kind): string {
  const found = entries.filter(({ id, name }) => id === given || name === given);
  if (found.length === 1) return found[0].id;
  const names = [...new Set(entries.map(({ name }) => name))];
  if (found.length === 0)
    throw new WhetstoneError('not-found', `There is no ${kind} '${given}' in the workspace.`, {
      where: given,
      hint:
        names.length === 0
          ? `The workspace has no ${kind}.`
          : `It has: ${names.slice(0, MOST).join(', ')}${names.length > MOST ? ', …' : ''}.`,
    });
  throw new WhetstoneError('invalid-input', `${found.length} ${kind}s are named '${given}'.`, {
    where: given,
    hint: `Give the id of one of them: ${found.map(({ id }) => id).join(', ')}.`,
  });
}

/** The id in a text that begins with an id or a name: `stories@v1=2` of `mix`. An empty name stays as it is. */
function replaced(given: string, { kind, until }: NamedArgument, entries: readonly Entry[]): string {
  const name = until ? (given.split(until, 1)[0] ?? '') : given;
  return name === '' ? given : idAmong(entries, name, kind) + given.slice(name.length);
}

interface Arguments {
  readonly positionals: readonly string[];
  readonly values: Values;
}

/** Arguments of a command with ids in place of the names of datasets and label sets. */
export async function withIds(command: Command, { positionals, values }: Arguments): Promise<Arguments> {
  const named = (command.names ?? []).filter(({ unless }) => !unless?.includes(positionals[0]));
  const isName = (given: unknown, { until }: NamedArgument): boolean => {
    const name = until ? String(given).split(until, 1)[0] : given;
    return typeof name === 'string' && name !== '' && !isId(name);
  };
  const isNamed = named.some((each) => {
    const { from, to = from, option } = each;
    const given = [
      ...(from === undefined ? [] : positionals.slice(from, (to ?? from) + 1)),
      ...[option === undefined ? [] : (values[option] ?? [])].flat(),
    ];
    return given.some((one) => isName(one, each));
  });
  const folder = String(values.workspace ?? '');
  // without a workspace the command itself says what is wrong
  if (!isNamed || !existsSync(join(folder, 'workspace.db'))) return { positionals, values };
  const { api, close } = await openServices({ workspacePath: folder });
  try {
    return await resolved(api, named, { positionals, values });
  } finally {
    await close();
  }
}

async function resolved(api: Api, named: readonly NamedArgument[], given: Arguments): Promise<Arguments> {
  const positionals = [...given.positionals];
  const values: Record<string, Values[string]> = { ...given.values };
  const lists = new Map<Kind, Promise<readonly Entry[]>>();
  for (const each of named) {
    const { kind, from, to = from, option } = each;
    const entries = lists.get(kind) ?? listOf[kind](api);
    lists.set(kind, entries);
    const known = await entries;
    const idOf = (one: string): string => {
      const isKnown = known.some(({ id, name }) => id === one || name === one);
      return isId(one) || (each.isOptional && !isKnown) ? one : replaced(one, each, known);
    };
    if (from !== undefined)
      for (let at = from; at < Math.min(positionals.length, (to ?? from) + 1); at += 1)
        positionals[at] = idOf(positionals[at]);
    const value = option === undefined ? undefined : values[option];
    if (option !== undefined && typeof value === 'string') values[option] = idOf(value);
    if (option !== undefined && Array.isArray(value))
      values[option] = value.map((one) => (typeof one === 'string' ? idOf(one) : one));
  }
  return { positionals, values };
}
