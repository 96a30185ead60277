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

interface Arguments {
  readonly positionals: readonly string[];
  readonly values: Values;
}

/** Arguments of a command with ids in place of the names of datasets and label sets. */
export async function withIds(command: Command, given: Arguments): Promise<Arguments> {
  const { positionals, values } = given;
  const named = (command.names ?? []).filter(({ unless }) => !unless?.includes(positionals[0]));
  const folder = String(values.workspace ?? '');
  // without a workspace the command itself says what is wrong
  if (named.length === 0 || !existsSync(join(folder, 'workspace.db'))) return given;
  // opened for the first name: arguments that are ids need no lists
  let opened: ReturnType<typeof openServices> | undefined;
  const lists = new Map<Kind, Promise<readonly Entry[]>>();
  const entriesFor = (kind: Kind): Promise<readonly Entry[]> => {
    opened ??= openServices({ workspacePath: folder });
    const entries = lists.get(kind) ?? opened.then(({ api }) => listOf[kind](api));
    lists.set(kind, entries);
    return entries;
  };
  try {
    return await resolved(entriesFor, named, given);
  } finally {
    await (await opened)?.close();
  }
}

async function resolved(
  entriesFor: (kind: Kind) => Promise<readonly Entry[]>,
  named: readonly NamedArgument[],
  given: Arguments,
): Promise<Arguments> {
  const positionals = [...given.positionals];
  const values: Record<string, Values[string]> = { ...given.values };
  for (const { kind, from, to = from, option, until, isOptional } of named) {
    /** The id in a text that begins with an id or a name: `stories@v1=2` of `mix`. */
    const withId = async (one: string): Promise<string> => {
      const name = until ? (one.split(until, 1)[0] ?? '') : one;
      if (name === '' || isId(name)) return one;
      const entries = await entriesFor(kind);
      if (isOptional && !entries.some(({ id, name: known }) => id === name || known === name)) return one;
      return idAmong(entries, name, kind) + one.slice(name.length);
    };
    if (from !== undefined)
      for (let at = from; at < Math.min(positionals.length, (to ?? from) + 1); at += 1)
        positionals[at] = await withId(positionals[at]);
    const value = option === undefined ? undefined : values[option];
    if (option !== undefined && typeof value === 'string') values[option] = await withId(value);
    if (option !== undefined && Array.isArray(value))
      values[option] = await Promise.all(
        value.map(async (one) => (typeof one === 'string' ? await withId(one) : one)),
      );
  }
  return { positionals, values };
}
