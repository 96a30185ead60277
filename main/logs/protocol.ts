import type { ErrorFacts } from '../../engine/common/errors.ts';
import type { LogPoints } from '../store/imported/points.ts';
import type { LogFacts } from './columns.ts';
import type { FoundSource } from './find.ts';

/** Messages of the thread that reads logs. */
export type LogMessage =
  /** The content's hash of a run that is about to be read; the thread waits for `read` or `skip`. */
  | { readonly state: 'hashed'; readonly run: number; readonly hash: string }
  | {
      readonly state: 'reading';
      readonly run: number;
      /** Bytes read of the run's files. */
      readonly bytes: number;
      readonly points: readonly LogPoints[];
    }
  | { readonly state: 'read'; readonly run: number; readonly facts: LogFacts }
  | { readonly state: 'done' }
  | { readonly state: 'failed'; readonly error: ErrorFacts };

export interface LogWork {
  readonly sources: readonly FoundSource[];
}
export type LogAnswer = 'handled' | 'read' | 'skip';

/** Messages with points that the thread may be ahead of the store. */
export const READ_AHEAD = 3;
