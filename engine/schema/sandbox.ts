/** Plain data that enters and leaves the sandbox. */

export type Data = null | boolean | number | string | readonly Data[] | { readonly [key: string]: Data };

/** Reasons why a task has no value. `crashed`: the process ended for any other reason. */
export const sandboxErrorKinds = [
  'syntax',
  'threw',
  'timeout',
  'memory',
  'stack',
  'too-large',
  'not-data',
  'refused',
  'crashed',
] as const;
export type SandboxErrorKind = (typeof sandboxErrorKinds)[number];

/** A function, as JavaScript text, and its arguments. */
export interface JsTask {
  readonly kind: 'js';
  readonly code: string;
  readonly args: readonly Data[];
}
/** Statements that make tables and fill them, and one query over them. */
export interface SqlTask {
  readonly kind: 'sql';
  readonly setup: string;
  readonly query: string;
}
export type Task = JsTask | SqlTask;

/** Rows of a query, in the database's order; a blob is its bytes as hexadecimal digits. */
export interface SqlRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/**
 * Result of a task. `log` is the code's printed output, cut at its maximum length; NaN and infinities are
 * valid values.
 */
export type Outcome<T = Data> =
  | { readonly ok: true; readonly value: T; readonly ms: number; readonly log: string }
  | {
      readonly ok: false;
      readonly error: { readonly kind: SandboxErrorKind; readonly message: string };
      readonly ms: number;
      readonly log: string;
    };

export interface Limits {
  /** Maximum processor time of one task, in milliseconds. */
  readonly timeMs: number;
  /** Memory of one task's code and data. */
  readonly memoryBytes: number;
  /** Maximum result size: characters of a value's JSON, or of all cells of a query. */
  readonly resultChars: number;
}
export const defaultLimits: Limits = { timeMs: 1000, memoryBytes: 32 * 2 ** 20, resultChars: 100_000 };

export interface ToSandbox {
  readonly batch: number;
  readonly tasks: readonly Task[];
  readonly limits: Limits;
}
/** `leaving`: the task has damaged its environment, and the process ends after this message. */
export type FromSandbox =
  | { readonly type: 'ready' }
  | {
      readonly type: 'outcome';
      readonly batch: number;
      readonly at: number;
      readonly outcome: Outcome<Data | SqlRows>;
      readonly leaving: boolean;
    };

/** Connection to a sandbox process. */
export interface SandboxChannel {
  send(message: ToSandbox): void;
  onMessage(receive: (message: FromSandbox) => void): void;
  /** Called once, when the process has ended; `reason` says how. */
  onExit(gone: (reason: string) => void): void;
  /** Kills it at once, even if it is busy. */
  kill(): void;
}
export type SpawnSandbox = () => SandboxChannel;

/**
 * The same connection relayed through a process that can start others (Electron's main), since a utility
 * process cannot.
 */
export type SandboxRelay =
  | { readonly sandbox: number; readonly do: 'start' | 'kill' }
  | { readonly sandbox: number; readonly do: 'send'; readonly message: ToSandbox }
  | { readonly sandbox: number; readonly do: 'receive'; readonly message: FromSandbox }
  | { readonly sandbox: number; readonly do: 'exit'; readonly reason: string };
export const isRelay = (message: unknown): message is SandboxRelay =>
  typeof message === 'object' && message !== null && 'sandbox' in message;
