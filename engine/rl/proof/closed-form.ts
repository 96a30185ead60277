import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { SelfTestProgress, SelfTestRow } from '../../schema/self-test.ts';

/**
 * Known results, and their computation. `kernel` forms run a recipe's own stages, objective and optimizer on
 * the device, with every outcome enumerated.
 */
export interface ClosedForm extends Pick<SelfTestRow, 'id' | 'title' | 'owner'> {
  readonly expected: readonly number[];
  readonly tolerance: number;
  readonly compute: (device: Device) => Promise<ArrayLike<number>> | ArrayLike<number>;
}

const checked = async ({ compute, ...form }: ClosedForm, device: Device): Promise<SelfTestRow> => {
  const facts = {
    id: form.id,
    title: form.title,
    owner: form.owner,
    expected: [...form.expected],
    tolerance: form.tolerance,
  };
  try {
    const got = Array.from(await compute(device));
    const ok =
      got.length === form.expected.length &&
      got.every((value, at) => Math.abs(value - form.expected[at]) <= form.tolerance);
    return { ...facts, got, ok, error: null };
  } catch (error) {
    // the others are still computed: which ones fail locates the fault
    return { ...facts, got: [], ok: false, error: WhetstoneError.from(error).facts };
  }
};

export interface Following {
  readonly signal?: AbortSignal;
  readonly report?: (progress: SelfTestProgress) => void;
}

/**
 * Computes each on a device, one after another; `report` receives each when done. Throws `cancelled` if
 * `signal` is aborted.
 */
export const checkClosedForms = async (
  forms: readonly ClosedForm[],
  device: Device,
  { signal, report }: Following = {},
): Promise<SelfTestRow[]> => {
  const rows: SelfTestRow[] = [];
  for (const form of forms) {
    if (signal?.aborted) throw new WhetstoneError('cancelled', 'The self-test was cancelled.');
    const row = await checked(form, device);
    rows.push(row);
    report?.({ rows: [row], done: rows.length, total: forms.length });
  }
  return rows;
};
