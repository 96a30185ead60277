import type { ErrorFacts } from '../../../engine/common/errors.ts';
import type { SqlResult } from '../../../preload/contract/sql.ts';

/** The statement that a process runs. */
export interface SqlRequest {
  readonly folder: string;
  readonly dataset: string;
  readonly sql: string;
  /** Most rows of the result that are returned. */
  readonly limit: number;
}
export type SqlReply = { readonly result: SqlResult } | { readonly error: ErrorFacts };

/** A process that runs one statement. */
export interface SqlChannel {
  send(request: SqlRequest): void;
  onMessage(receive: (reply: SqlReply) => void): void;
  /** Called once, with how it ended. */
  onExit(gone: (reason: string) => void): void;
  /** Kills it at once, even inside SQLite. */
  kill(): void;
}
export type SpawnSql = () => SqlChannel;
