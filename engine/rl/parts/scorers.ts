import type { RewardStack } from '../method.ts';
import { stage } from '../stage.ts';

/** The same for stored answers: what is known of them (`label`) where the run names no scorer. */
export const scoreOrLabel = (stack: RewardStack<'total'>) => stage({
  id: 'scoreOrLabel',
  needs: ['problem', 'completion', 'tokens', 'mask', 'ended', 'groupId', 'label'],
  adds: ['reward/total'],
  run: async (rows) => {
    if (stack.empty) return { columns: { 'reward/total': rows.label } };
    const { value, raw } = await stack.score(rows);
    return { columns: { 'reward/total': value }, raw };
  },
});

/** Fills `reward/<id>` with a stack's value, and keeps each scorer's raw one for the record. */
export const score = <const Id extends string>(stack: RewardStack<Id>) => stage({
  id: `score(${stack.id})`,
  needs: ['problem', 'completion', 'tokens', 'mask', 'ended', 'groupId'],
  adds: [`reward/${stack.id}`],
  run: async (rows) => {
    const { value, raw } = await stack.score(rows);
    // a computed key is a string to the compiler; the template type names the same one
    return { columns: { [`reward/${stack.id}`]: value } as { [K in `reward/${Id}`]: Float64Array }, raw };
  },
});
