import { hash } from 'node:crypto';
import { promptIdOf } from '../../random/hash.ts';
import type { Verdict } from '../../schema/preference.ts';

/** A decision in a file: on two answers by a verdict, or on one answer by a value of the set's mode. */
export type FileDecision =
  | { readonly texts: readonly [string, string]; readonly verdict: Verdict }
  | { readonly texts: readonly [string]; readonly value: unknown };

/** Circumstances of a label. */
export interface LabelFacts {
  /** Id of the pair or the item, in exports of ours. */
  readonly id: string | null;
  readonly prompt: string;
  readonly labeler: string | null;
  /** Time of the decision, in milliseconds. */
  readonly at: number | null;
  readonly rationale: string;
}

/** A label of another tool, or of an earlier export of ours. */
export type UnplacedLabel = FileDecision & LabelFacts;
export type FileLabel = UnplacedLabel & { readonly line: number };

/** Hash of an answer, 96 bits in hex. */
export const textHash = (text: string): string => hash('sha256', text).slice(0, 24);

/** Key of a prompt with one or two answers, whatever their order. */
export const itemKey = (prompt: string, hashes: readonly string[]): string =>
  [promptIdOf(prompt), ...hashes.toSorted()].join('/');
