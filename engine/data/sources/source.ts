import type { Limits, ParsedRecord } from '../formats/record.ts';

/** Records of a file or a folder, read once from the beginning. */
export interface Source extends AsyncDisposable {
  /** The format in words; known once the first records have been read. */
  readonly title: string;
  readonly totalBytes: number;
  /** Bytes read so far. */
  readonly bytes: number;
  /** Batches of records. Throws `invalid-input` for a file that is damaged or of no known format. */
  records(limits: Limits): AsyncIterable<readonly ParsedRecord[]>;
  /** SHA-256 of the content in hex, at the end. */
  hash(): Promise<string>;
}
