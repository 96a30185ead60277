import type { RewardStack } from '../method.ts';
import { stage } from '../stage.ts';

/** Fills `reward/<id>` with a stack's value, and keeps each scorer's raw one for the record. */
export const score = <const Id extends string>(stack: RewardStack<Id>) => stage({
  id: `score(${stack.id})`,
  needs: ['problem', 'completion', 'tokens', 'mask', 'ended'],
  adds: [`reward/${stack.id}`],
  run: async (rows) => {
    const { value, raw } = await stack.score(rows);
    // a computed key is a string to the compiler; the template type names the same one
    return { columns: { [`reward/${stack.id}`]: value } as { [K in `reward/${Id}`]: Float64Array }, raw };
  },
});
