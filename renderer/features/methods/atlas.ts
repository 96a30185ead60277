import type { RecipeFacts, RecipePart, Station, WorldFacts } from '../../../engine/schema/atlas.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { foundMethods, type Catalogue, type Method, type MethodGroup } from '../../lib/methods.ts';

export type Atlas = Awaited<ReturnType<WhetstoneClient['methods']['atlas']>>;

/** Titles and descriptions of the stations. */
export const stations: { readonly [S in Station]: { readonly title: string; readonly about: string } } = {
  start: {
    title: 'Start',
    about: 'Source of the rows: a prompt, a demonstration, a pair, a stored answer.',
  },
  rows: { title: 'Rows', about: 'Rows that another role generated before.' },
  context: { title: 'Context', about: 'Text added to the prompt, or forced at the start of the answer.' },
  sampler: {
    title: 'Sampler',
    about: 'The model that samples answers, and the number of answers per prompt.',
  },
  scorers: {
    title: 'Scorers',
    about: 'Scores of the answers: the total of the run’s rewards, or the marks of stored answers.',
  },
  reference: {
    title: 'Reference',
    about: 'Log-probabilities of the same tokens under another model, to which the policy is kept close.',
  },
  credit: {
    title: 'Credit',
    about: 'Advantage of each token, from the rewards of its answer and of its group.',
  },
  selection: { title: 'Selection', about: 'Rows to train on, and how they are paired.' },
  objective: { title: 'Objective', about: 'The loss that is minimised.' },
};

/** Groups consecutive parts of the same station. */
export const boxes = (
  parts: readonly RecipePart[],
): readonly { readonly station: Station; readonly parts: readonly RecipePart[] }[] => {
  const found: { station: Station; parts: RecipePart[] }[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    if (last?.station === part.station) last.parts.push(part);
    else found.push({ station: part.station, parts: [part] });
  }
  return found;
};

/** Describes an external input of a part. */
export const describeInput = (input: string): string => {
  const [kind, name] = input.split('/');
  return kind === 'buffer'
    ? `rows kept as ${name}`
    : name === 'initial'
      ? 'the initial model'
      : `the ${name}’s model`;
};

/** Describes the order in which roles train; empty for a single role. */
export const describeSchedule = ({ roles, schedule }: RecipeFacts): string =>
  roles.length < 2
    ? ''
    : schedule
        .map(({ rounds, turns }) => {
          const each = Object.entries(turns)
            .map(
              ([name, count]) =>
                `${name} ${count === 0 ? 'generates rows' : count === 1 ? 'a batch' : `${count} batches`}`,
            )
            .join(', then ');
          return rounds === null
            ? `${each}, in turn until the budget is spent`
            : `${each}, for ${rounds} rounds`;
        })
        .join('; then ');

export interface PresetEntry {
  readonly name: string;
  readonly of: Method;
}
export interface AtlasFound {
  readonly groups: readonly MethodGroup[];
  readonly presets: readonly PresetEntry[];
  readonly worlds: readonly WorldFacts[];
}

/**
 * Entries of the atlas that contain every word of `query`, filtered by training data and by what the method
 * produces (empty: any).
 */
export const foundInAtlas = (
  { methods, taskKinds }: Pick<Catalogue, 'methods' | 'taskKinds'>,
  worlds: readonly WorldFacts[],
  { query, task, makes }: { readonly query: string; readonly task: string; readonly makes: string },
): AtlasFound => {
  const words = query.trim().toLowerCase().split(/\s+/);
  const fits = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const kept = methods.filter(
    (method) => (task === '' || method.task === task) && (makes === '' || method.produces === makes),
  );
  return {
    groups: foundMethods({ methods: kept, taskKinds }, query),
    presets: kept
      .flatMap((of) => Object.keys(of.presets).map((name) => ({ name, of })))
      .filter(({ name, of }) => fits(`${name} ${of.id} ${of.title}`)),
    worlds:
      task === '' && makes === ''
        ? worlds.filter(({ id, title, summary }) => fits(`${id} ${title} ${summary} world`))
        : [],
  };
};
