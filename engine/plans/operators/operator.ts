/** The interface of operators: from the answers of earlier runs to the rows of a dataset. */
import * as z from 'zod';
import { finalNumber } from '../../answers/numbers.ts';
import { WhetstoneError } from '../../common/errors.ts';

/** An answer of a run on its way into a dataset. `extra` holds its reward, scores and origin. */
export interface PlanRow {
  readonly promptId: string;
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string | null;
  readonly correct: boolean | null;
  /** The name of its run. */
  readonly source: string;
  readonly extra?: { readonly [column: string]: unknown };
}

interface Definition<S extends z.ZodType> {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: S;
  /** Columns whose numbers it reads. */
  needs?(params: z.output<S>): readonly string[];
  /** Runs that it names, each with its parameter: they must be among those whose answers it gets. */
  runs?(params: z.output<S>): readonly (readonly [param: string, run: string])[];
  /** True if it reads the right answers that the tasks of the runs tell, which are looked up for it. */
  readsReferences?(params: z.output<S>): boolean;
  /** Columns that its rows have in addition. */
  readonly adds?: readonly string[];
  /** Deterministic: it depends on the rows and their order alone. */
  apply(rows: readonly PlanRow[], params: z.output<S>): PlanRow[];
}

/** An operator whose parameters have been checked by its own schema. */
export interface Operator extends Omit<
  Definition<z.ZodType>,
  'apply' | 'needs' | 'adds' | 'runs' | 'readsReferences'
> {
  readonly adds: readonly string[];
  /** Throws `invalid-input` with the path of the parameter, as do `needs`, `runs` and `apply`. */
  parse(given: unknown): unknown;
  needs(given: unknown): readonly string[];
  runs(given: unknown): readonly (readonly [param: string, run: string])[];
  readsReferences(given: unknown): boolean;
  apply(rows: readonly PlanRow[], given: unknown): PlanRow[];
}

export function defineOperator<S extends z.ZodType>(definition: Definition<S>): Operator {
  const parse = (given: unknown): z.output<S> => {
    const read = definition.params.safeParse(given);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const keys = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]] : issue.path;
    throw new WhetstoneError('invalid-input', `${definition.title}: ${issue.message}`, {
      where: ['params', ...keys].join('.'),
    });
  };
  const { needs = () => [], runs = () => [], readsReferences = () => false, apply, adds = [] } = definition;
  return {
    ...definition,
    adds,
    parse,
    needs: (given) => needs(parse(given)),
    runs: (given) => runs(parse(given)),
    readsReferences: (given) => readsReferences(parse(given)),
    apply: (rows, given) => apply(rows, parse(given)),
  };
}

/** Columns of numbers that every answer has. */
export const ownColumns: readonly string[] = ['length', 'step', 'sample'];

/**
 * The number of a row in a column; `correct` is 1 or 0, `length` the characters of the answer. NaN without a
 * finite one.
 */
export function valueOf(row: PlanRow, column: string): number {
  if (column === 'length') return row.answer.length;
  if (column === 'correct') return row.correct === null ? Number.NaN : Number(row.correct);
  const value = row.extra?.[column];
  return typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN;
}

/** True if a row's source, the full id of a node, is the node of this name: `write` names `self.2.write`. */
export const isFrom = (source: string, name: string): boolean =>
  source === name || source.endsWith(`.${name}`);

/** The rows of each prompt, in the order of their first rows. */
export const byPrompt = (rows: readonly PlanRow[]): ReadonlyMap<string, readonly PlanRow[]> =>
  Map.groupBy(rows, ({ promptId }) => promptId);

export const columnOf = z.string().min(1).max(200);

/** Part of an answer that is compared: all of it, or its last number. */
export const partField = z
  .enum(['text', 'number'])
  .default('text')
  .describe('What answers are compared by: their whole text, or their last number.');

/** What an answer votes for; null if it has no such part. */
export const voteOf = ({ answer }: PlanRow, part: z.infer<typeof partField>): string | null => {
  if (part === 'number') return finalNumber(answer)?.digits ?? null;
  const text = answer.trim();
  return text === '' ? null : text;
};

/** The only vote with the highest count, and its share of all votes; null in a tie and without votes. */
export function winnerOf(votes: readonly (string | null)[]): { vote: string; share: number } | null {
  const given = votes.filter((vote) => vote !== null);
  const counts = [...Map.groupBy(given, (vote) => vote)].map(([vote, all]) => [vote, all.length] as const);
  const ordered = counts.toSorted(([, a], [, b]) => b - a);
  if (ordered.length === 0 || ordered[0][1] === ordered[1]?.[1]) return null;
  return { vote: ordered[0][0], share: ordered[0][1] / given.length };
}
