import type { ErrorFacts } from '../../../engine/common/errors.ts';
import type { Diagnosed, DiagnoseOptions, Step } from './diagnose.ts';
import type { DoctorRow } from './patient.ts';

/** The rows or prompts of one side that is compared with. */
export interface OtherSide {
  readonly name: string;
  readonly prompts: readonly string[];
}

/** The options of a diagnosis as they are sent to its thread. */
export interface SentOptions extends Omit<DiagnoseOptions, 'others' | 'lengths'> {
  readonly others: readonly OtherSide[];
  readonly measured: boolean;
}

/** `tokens`: of each of the rows; null where they are not measured. */
export type ToDoctor =
  | { readonly do: 'add'; readonly rows: readonly DoctorRow[]; readonly tokens: readonly (number | null)[] }
  | { readonly do: 'diagnose'; readonly options: SentOptions };
export type FromDoctor =
  | { readonly state: 'examining'; readonly step: Step; readonly share: number }
  | { readonly state: 'done'; readonly diagnosed: Diagnosed }
  | { readonly state: 'failed'; readonly error: ErrorFacts };
