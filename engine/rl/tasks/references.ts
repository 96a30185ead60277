/** Checks the expected answers of a dataset's rows before a run uses them in a reward. */
import { WhetstoneError } from '../../common/errors.ts';
import type { Demonstration } from '../../schema/preference.ts';
import type { RewardSpec } from '../../schema/run-spec.ts';
import { rewards, type Reward } from '../../rewards/index.ts';

const rewardOf = (id: string): Reward | undefined => rewards.find((reward) => reward.id === id);
/** A reward and the rewards nested in its parameters. */
const withInner = (spec: Pick<RewardSpec, 'id' | 'params'>): Pick<RewardSpec, 'id' | 'params'>[] => [
  spec,
  ...(rewardOf(spec.id)?.inner(spec.params) ?? []).flatMap(withInner),
];
/** True if a reward compares answers with references. */
export const comparesWithReferences = ({ id }: Pick<RewardSpec, 'id'>): boolean =>
  rewardOf(id)?.needs.includes('reference') ?? false;

/** True if a reward, or one nested in it, may sample answers from the initial model. */
export const needsInitialAnswers = (spec: Pick<RewardSpec, 'id' | 'params'>): boolean =>
  withInner(spec).some(({ id }) => rewardOf(id)?.needs.includes('initial') ?? false);

/**
 * True if all prompts have references. Throws `invalid-input` with file, row and field if a reward that
 * compares with references finds one missing, unreadable, or different for the same prompt.
 */
export const checkedReferences = (
  rows: readonly Demonstration[],
  specs: readonly RewardSpec[],
  { name, path }: { readonly name: string; readonly path: string },
): boolean => {
  const comparing = specs.flatMap(withInner).filter(comparesWithReferences);
  const refuse = (at: number, what: string, hint: string): never => {
    throw new WhetstoneError('invalid-input', `${name}: the reference of row ${at + 1} ${what}.`, {
      where: `${rows[at].where ?? `${path}:${at + 1}`}: reference`,
      hint,
    });
  };
  if (comparing.length === 0) return rows.length > 0 && rows.every(({ reference }) => reference !== null);
  const first = new Map<string, { readonly reference: string; readonly at: number }>();
  const read = new Set<string>();
  rows.forEach(({ reference, promptId }, at) => {
    if (reference === null)
      return refuse(
        at,
        `is missing, and '${comparing[0].id}' compares answers with it`,
        'Fill the column "reference" of this row, or import the rows without it.',
      );
    const before = first.get(promptId);
    if (before && before.reference !== reference)
      return refuse(
        at,
        `differs from that of row ${before.at + 1}, which has the same prompt`,
        'Give both rows the same reference, or leave one of them out.',
      );
    if (!before) first.set(promptId, { reference, at });
    for (const { id, params } of read.has(reference) ? [] : comparing) {
      const complaint = rewardOf(id)?.complains?.(params, reference) ?? null;
      if (complaint !== null)
        return refuse(at, complaint, `Correct it, or use another verifier than '${id}'.`);
    }
    read.add(reference);
  });
  return true;
};
