import type { WhetstoneClient } from '../../preload/contract/index.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';

export type Catalogue = Awaited<ReturnType<WhetstoneClient['runs']['catalogue']>>;

export type Method = Catalogue['methods'][number];

/** Titles of task kinds, in the order of a usual workflow. */
export const taskTitles: { readonly [K in Method['task']]: string } = {
  demonstrations: 'From demonstrations',
  preferences: 'From preferences',
  verifiable: 'From answers that are scored as they are written',
  answers: 'From stored answers, right and wrong',
  prompts: 'From prompts alone',
};

export interface MethodGroup {
  readonly task: Method['task'];
  readonly title: string;
  readonly methods: readonly Method[];
}

const textOf = ({ id, title, summary, cites, stations, presets }: Method): string =>
  [id, title, summary, cites, ...stations, ...Object.keys(presets)].join(' ').toLowerCase();
/** 0 for an exact id, 1 if id or title contain the query: those come before methods that only mention it. */
const distance = ({ id, title }: Method, asked: string): number =>
  id === asked ? 0 : `${id} ${title}`.toLowerCase().includes(asked) ? 1 : 2;

/** Methods that contain every word of the query, grouped by task kind; empty groups are left out. */
export const foundMethods = (methods: readonly Method[], asked: string): readonly MethodGroup[] => {
  const whole = asked.trim().toLowerCase();
  const words = whole.split(/\s+/);
  const fitting = methods.filter((method) => words.every((word) => textOf(method).includes(word)));
  return (Object.keys(taskTitles) as Method['task'][])
    .map((task) => ({
      task,
      title: taskTitles[task],
      methods: fitting
        .filter((method) => method.task === task)
        .sort((a, b) => (whole === '' ? 0 : distance(a, whole) - distance(b, whole))),
    }))
    .filter(({ methods: own }) => own.length > 0);
};

/** Whether a checkpoint is a judge: it has a scoring head, or its run trained it to judge in words. */
export const judges = (
  { methods }: Pick<Catalogue, 'methods'>,
  { head, method }: Pick<Checkpoint, 'head' | 'method'>,
): boolean => head === 'reward' || methods.find(({ id }) => id === method)?.produces === 'reward';
