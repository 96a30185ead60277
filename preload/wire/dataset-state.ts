/** A state of a dataset in a few words. */
export function stateText({
  sequence,
  version,
}: {
  readonly sequence: number;
  readonly version: string | null;
}): string {
  if (version !== null) return `version ${version}`;
  return sequence === 0 ? 'without changes' : `unsaved changes at step ${sequence}`;
}
