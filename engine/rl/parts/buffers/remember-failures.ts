import { stage } from '../../kernel/stage.ts';
import { remember, rememberedOf } from '../math/failed-instructions.ts';
import { RIGHT } from '../math/next-prompts.ts';

/**
 * Remembers the instructions of which fewer than half of the answers are right, as examples for later rounds.
 */
export const rememberFailures = stage({
  id: 'rememberFailures',
  station: 'rows',
  needs: ['problem', 'shown', 'reward/total'],
  adds: [],
  run: async ({ problem, shown, 'reward/total': rewards_R }, { memory }) => {
    const { tasks, failed } = rememberedOf(memory) ?? { tasks: [], failed: [] };
    const answers = Map.groupBy([...rewards_R.keys()], (r) => shown[r] || problem[r].prompt);
    const now = [...answers].flatMap(([prompt, rows]) =>
      rows.filter((r) => rewards_R[r] >= RIGHT).length * 2 < rows.length ? [prompt] : [],
    );
    remember(memory, { tasks, failed: [...failed, ...now] });
    return { columns: {} };
  },
});
