/** Parameters that a method no longer has, so that runs stored with them still resume, fork and open. */

type Params = Readonly<Record<string, unknown>>;

/**
 * What became of them, by method. A value that the method can no longer honour is kept, so that the check
 * refuses it at its path.
 */
const current: ReadonlyMap<unknown, (params: Params) => Params> = new Map([
  [
    'satori',
    // λ is fixed at 0.95 and the clip at 0.2; one number was both the bonus for a repair and the cost of a damage
    ({ lambda, ...later }: Params) => {
      const { clip, ...kept } = lambda === undefined || lambda === 0.95 ? later : { lambda, ...later };
      if (clip !== 0.2) return clip === undefined ? kept : { clip, ...kept };
      return 'bonus' in kept && !('damage' in kept) ? { ...kept, damage: kept.bonus } : kept;
    },
  ],
]);

const isRecord = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A spec with current parameters. Anything else is returned unchanged, and validated later. */
export const withoutRetired = (spec: unknown): unknown => {
  if (!isRecord(spec) || !isRecord(spec.method) || !isRecord(spec.method.params)) return spec;
  const { method } = spec;
  const update = current.get(method.id);
  return update ? { ...spec, method: { ...method, params: update(method.params as Params) } } : spec;
};
