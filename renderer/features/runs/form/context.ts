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

/** What every field of one form shares. Functions, so that reading stays reactive. */
export interface FormContext {
  readonly draft: Draft;
  readonly error: () => ErrorFacts | null;
  /** A value that stands where nothing was chosen, if the method suggests one. */
  readonly suggested: (path: readonly string[]) => unknown;
  /**
   * Things of this workspace to pick from by the name of the key (`checkpointId`, `datasetId` …), or null
   * where text is typed.
   */
  readonly choices: (key: string, path: readonly string[]) => readonly Choice[] | null;
  /** The registry that `{ id, params }` at a path takes its names from. */
  readonly registry: (path: readonly string[]) => readonly Named[];
}

const KEY = Symbol('form');
export const provideForm = (form: FormContext): FormContext => setContext(KEY, form);
export const useForm = (): FormContext => getContext<FormContext>(KEY);
