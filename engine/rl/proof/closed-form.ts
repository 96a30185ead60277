import type { Device } from '../../runtime/index.ts';

/** Numbers that must come out, and what makes them. */
export interface ClosedForm {
  readonly id: string;
  /** In words: what is computed. */
  readonly title: string;
  /** What the number is a property of. `kernel`: a recipe's own stages, objective and optimizer on the device, every outcome listed. */
  readonly owner: 'kernel' | 'world' | 'statistic';
  readonly expected: readonly number[];
  readonly tolerance: number;
  readonly compute: (device: Device) => Promise<ArrayLike<number>> | ArrayLike<number>;
}

/** A closed form held against what came out. */
export interface Checked {
  readonly id: string; readonly title: string; readonly owner: ClosedForm['owner'];
  readonly expected: readonly number[]; readonly got: readonly number[]; readonly tolerance: number; readonly ok: boolean;
}

/** Computes each on a device, one after another; `told` hears of each as it is done. */
export const checkClosedForms = async (forms: readonly ClosedForm[], device: Device, told: (row: Checked, done: number) => void = () => undefined): Promise<Checked[]> => {
  const rows: Checked[] = [];
  for (const { id, title, owner, expected, tolerance, compute } of forms) {
    const got = Array.from(await compute(device));
    const ok = got.length === expected.length && got.every((value, at) => Math.abs(value - expected[at]) <= tolerance);
    rows.push({ id, title, owner, expected, got, tolerance, ok });
    told(rows[rows.length - 1], rows.length);
  }
  return rows;
};
