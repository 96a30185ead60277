import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';

export type Catalogue = Awaited<ReturnType<WhetstoneClient['runs']['catalogue']>>;

export type Method = Catalogue['methods'][number];

export type TaskKind = Catalogue['taskKinds'][number];

/** The kind of task that a method learns from. */
export const taskKindOf = (
  { taskKinds }: Pick<Catalogue, 'taskKinds'>,
  method: Method | undefined,
): TaskKind | undefined => taskKinds.find(({ kind }) => kind === method?.task);

export interface MethodGroup {
  readonly task: string;
  readonly title: string;
  readonly methods: readonly Method[];
}

const textOf = ({ id, title, summary, cites, stations, presets }: Method): string =>
  [id, title, summary, cites, ...stations, ...Object.keys(presets)].join(' ').toLowerCase();
/** 0 for an exact id, 1 if id or title contain the query: those come before methods that only mention it. */
const distance = ({ id, title }: Method, query: string): number =>
  id === query ? 0 : `${id} ${title}`.toLowerCase().includes(query) ? 1 : 2;

/** Methods that contain every word of the query, grouped by task kind; empty groups are left out. */
export const foundMethods = (
  { methods, taskKinds }: Pick<Catalogue, 'methods' | 'taskKinds'>,
  query: string,
): readonly MethodGroup[] => {
  const whole = query.trim().toLowerCase();
  const words = whole.split(/\s+/);
  const fitting = methods.filter((method) => words.every((word) => textOf(method).includes(word)));
  return taskKinds
    .map(({ kind, title }) => ({
      task: kind,
      title: `From ${title}`,
      methods: fitting
        .filter((method) => method.task === kind)
        .sort((a, b) => (whole === '' ? 0 : distance(a, whole) - distance(b, whole))),
    }))
    .filter(({ methods: own }) => own.length > 0);
};

/** True if a checkpoint is a judge: it has a scoring head, or its run trained it to judge in words. */
export const judges = (
  { methods }: Pick<Catalogue, 'methods'>,
  { head, method }: Pick<Checkpoint, 'head' | 'method'>,
): boolean => head === 'reward' || methods.find(({ id }) => id === method)?.produces === 'reward';

/** True if a method trains networks in control worlds, whose checkpoints read no text. */
export const actsInControl = ({ methods }: Pick<Catalogue, 'methods'>, method: string | undefined): boolean =>
  methods.find(({ id }) => id === method)?.task === 'control';

/** The method to begin with in a control world: one whose actions are those of the world. */
export const methodOfWorld = (
  { methods, controlWorlds, recommended }: Pick<Catalogue, 'methods' | 'controlWorlds' | 'recommended'>,
  world: string | undefined,
): string => {
  const actions = controlWorlds.find(({ id }) => id === world)?.actions ?? 'choices';
  const fitting = methods.filter((method) => method.actions === actions);
  return (fitting.find(({ id }) => recommended.methods.includes(id)) ?? fitting.at(0))?.id ?? '';
};
