/** Kinds of entries of a run's log, in the order in which filters list them. */
export const logKinds = [
  'state',
  'attempt',
  'phase',
  'evaluation',
  'checkpoint',
  'warning',
  'error',
] as const;
export type LogKind = (typeof logKinds)[number];

interface Entry {
  readonly at: number | null;
  readonly attempt: number;
  readonly step: number | null;
  readonly kind: LogKind;
  readonly text: string;
  readonly detail?: string;
}

/** An entry as a line of text, with its time in UTC; what follows the first line is indented. */
export function logLine({ at, attempt, step, kind, text, detail }: Entry): string {
  const when = at === null ? '-'.padEnd(24) : new Date(at).toISOString();
  const place = [attempt > 1 ? `attempt ${attempt}` : '', step === null ? '' : `step ${step}`]
    .filter(Boolean)
    .join(', ');
  const first = [when, kind.padEnd(10), place === '' ? text : `${place}: ${text}`].join('  ');
  return [first, ...(detail === undefined ? [] : detail.split('\n').map((line) => `    ${line}`))].join('\n');
}
