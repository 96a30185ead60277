import type { RewardStack } from '../../kernel/reward-stack.ts';
import { stage } from '../../kernel/stage.ts';

/** Each scorer's raw value as a separate target; the stored `label` if the run has no scorer. */
export const attributes = (stack: RewardStack<'total'>) =>
  stage({
    id: 'attributes',
    station: 'scorers',
    needs: ['problem', 'completion', 'tokens', 'mask', 'ended', 'groupId', 'label'],
    adds: attributeNames(stack),
    run: async (rows) => {
      const raw = stack.empty ? { label: rows.label } : (await stack.score(rows)).raw;
      const named = stack.empty ? ['label'] : stack.scorers;
      return { columns: Object.fromEntries(named.map((name, k) => [`row/attribute-${k}`, raw[name]])) };
    },
  });

export const attributeNames = (stack: RewardStack<'total'>): `row/attribute-${number}`[] =>
  Array.from({ length: attributeCount(stack) }, (_, k) => `row/attribute-${k}` as const);

export const attributeCount = (stack: RewardStack<'total'>): number => Math.max(1, stack.scorers.length);
