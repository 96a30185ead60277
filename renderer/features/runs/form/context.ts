import { getContext, setContext } from 'svelte';
import type { ErrorFacts } from '../../../../engine/common/errors.ts';
import type { Draft } from './draft.svelte.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
}
export interface Named {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly params: { readonly [key: string]: unknown };
}

/** State that all fields of a form share. Functions, so that reads stay reactive. */
export interface FormContext {
  readonly draft: Draft;
  readonly error: () => ErrorFacts | null;
  /** The default that the method suggests for an unset value, if any. */
  readonly suggested: (path: readonly string[]) => unknown;
  /** Options of this workspace for a key (`checkpointId`, `datasetId` …), or null for free text. */
  readonly choices: (key: string, path: readonly string[]) => readonly Choice[] | null;
  /** The registry of the `{ id, params }` at a path. */
  readonly registry: (path: readonly string[]) => readonly Named[];
  /** True if number fields take lists of values, which make several runs. */
  readonly takesLists?: boolean;
}

const KEY = Symbol('form');
export const provideForm = (form: FormContext): FormContext => setContext(KEY, form);
export const useForm = (): FormContext => getContext<FormContext>(KEY);
