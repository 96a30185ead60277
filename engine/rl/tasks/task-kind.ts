/** Declaration of a task kind; the kinds are in `kinds`, one file each. */
import { WhetstoneError } from '../../common/errors.ts';
import type { TaskKindInfo } from '../../schema/task-kind.ts';
import type { World } from '../../worlds/index.ts';
import type { SourceOptions } from './source-columns.ts';
import { stubData, stubOptions } from './stub-data.ts';
import type { IndexedStream, TaskData } from './task-data.ts';

/** `Sources`: the row sources of recipes with this kind. */
export interface TaskKindOf<Kind extends string, Sources extends object> extends Readonly<TaskKindInfo> {
  readonly kind: Kind;
  /** Follows "learns from" in error messages: a description, and which tasks offer it. */
  readonly summary: string;
  /** True if a world offers this kind, for a kind that only some worlds offer. */
  readonly offeredByWorld?: (world: World) => boolean;
  /** Throws `invalid-input` if the training split has no rows of this kind. */
  readonly sources: (data: TaskData, options: SourceOptions) => Sources;
  /** Sources without data, which are never run: enough to build and check a recipe. */
  readonly stub: Sources;
}

export type AnyTaskKind = TaskKindOf<string, object>;

/** Completes a kind with its stub sources. */
export const defineTaskKind = <const Kind extends string, Sources extends object>(
  declared: Omit<TaskKindOf<Kind, Sources>, 'stub'>,
): TaskKindOf<Kind, Sources> => ({ ...declared, stub: declared.sources(stubData, stubOptions) });

/** Returns a stream with at least one item. Throws `invalid-input` otherwise. */
export const nonEmpty = <T>(
  stream: IndexedStream<T> | undefined,
  items: string,
  { name }: Pick<TaskData, 'name'>,
): IndexedStream<T> => {
  if (stream && stream.size > 0) return stream;
  throw new WhetstoneError(
    'invalid-input',
    `There are no ${items} to learn from in the training part of ${name}.`,
    { where: 'task', hint: 'Choose a task that has some, hold out less, or filter less.' },
  );
};

/**
 * File format of a dataset for a run: its right/wrong pairs, or its rows. Main writes the file and the engine
 * reads it by this rule.
 */
export const datasetFormat = ({
  trainsOn,
}: Pick<TaskKindInfo, 'trainsOn'>): 'preferences' | 'demonstrations' =>
  trainsOn === 'pairs' ? 'preferences' : 'demonstrations';
