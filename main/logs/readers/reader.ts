import type { ToolId } from '../../../preload/contract/logs.ts';

/** The place in a file behind which nothing could be read. `at`: `byte 1200` or `line 7`. */
export interface Damage {
  readonly path: string;
  readonly at: string;
  readonly reason: string;
}

/** Receives what a reader finds in a run's files, in the order in which it was logged. */
export interface LogSink {
  /** `step`: a whole number. `at`: UTC epoch milliseconds, NaN if the tool does not keep it. */
  point(name: string, step: number, at: number, value: number): void;
  /** Adds values to the configuration; later ones replace earlier ones. */
  config(values: { readonly [name: string]: unknown }): void;
  /** The run's own name, if it has one. */
  called(name: string): void;
  /** Counts something that is no point, in the plural: `histograms`. */
  skipped(what: string): void;
  damaged(damage: Damage): void;
  /** The number of steps that the run was to take. */
  planned(steps: number): void;
}

/** A file that a folder was found to hold. */
export interface LogFile {
  readonly path: string;
  readonly name: string;
  readonly folder: string;
  readonly bytes: number;
  /** The first 64 KB of the file. */
  head(): Promise<Buffer>;
}

/** One run of one tool. */
export interface LogSource {
  readonly tool: ToolId;
  /** A name where the files give none. */
  readonly name: string;
  /** Its files, in the order of reading. */
  readonly files: readonly string[];
  readonly bytes: number;
  /** The run's key in a file that holds several. */
  readonly part?: string;
}

/** Reader of one tool's logs. Readers are listed in `index.ts`. */
export interface LogReader {
  /** Finds the runs among files. `isChosen`: a person named the file, so its content counts more than its name. */
  find(files: readonly LogFile[], isChosen: boolean): Promise<readonly LogSource[]>;
  /** Reads a run, and yields the bytes read so far of all its files. Throws `invalid-input` with file and place. */
  read(source: LogSource, sink: LogSink): AsyncIterable<number>;
  /** Content that tells runs of one file apart; absent where a file is one run. */
  fingerprint?(source: LogSource): Iterable<string>;
}
