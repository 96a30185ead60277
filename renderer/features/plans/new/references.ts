import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { Dataset } from '../../../../preload/contract/datasets.ts';
import { plural } from '../../../lib/format.ts';

type Judged = Pick<Dataset, 'name' | 'rows'> & {
  readonly doctor: Pick<Dataset['doctor'], 'references' | 'verifier'>;
};

/** The reward that compares answers with a dataset’s references. Throws `invalid-input` if a row has no reference. */
export function verifierOf({ name, rows, doctor: { references, verifier } }: Judged): string {
  const missing = rows - references;
  if (verifier !== null && missing <= 0) return verifier;
  throw new WhetstoneError(
    'invalid-input',
    `${plural(missing, 'row')} of “${name}” ${missing === 1 ? 'has' : 'have'} no reference to compare answers with.`,
    { where: 'task', hint: 'Fill the column, or derive a dataset without these rows.' },
  );
}
