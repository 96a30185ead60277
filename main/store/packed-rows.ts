import { deserialize, serialize } from 'node:v8';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import { unflag } from './context.ts';
import { toJson } from './json.ts';

/** A row as it is stored, in the order of the columns. */
export type StoredRow = readonly [
  row: number,
  line: number,
  promptId: string,
  prompt: string,
  answer: string,
  reference: string | null,
  correct: number | null,
  source: string,
  messages: string | null,
  extra: string | null,
];

/**
 * Rows as bytes, which threads hand on as they are: copying objects from thread to thread costs an import
 * more time than storing them.
 */
export const packRows = (rows: readonly DatasetRow[]): Uint8Array =>
  serialize(
    rows.map((r): StoredRow => [
      r.row,
      r.line,
      r.promptId,
      r.prompt,
      r.answer,
      r.reference,
      unflag(r.correct),
      r.source,
      r.messages ? toJson(r.messages) : null,
      r.extra ? toJson(r.extra) : null,
    ]),
  );

export const unpackRows = (bytes: Uint8Array): readonly StoredRow[] => deserialize(bytes) as StoredRow[];

/** Characters of a stored row's long texts. */
export const storedLength = ([, , , prompt, answer, , , , messages, extra]: StoredRow): number =>
  prompt.length + answer.length + (messages?.length ?? 0) + (extra?.length ?? 0);
