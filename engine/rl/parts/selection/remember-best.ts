import { stage } from '../../kernel/stage.ts';

/** Keeps the newest answers whose reward reaches the threshold, each once, for the prompts of later batches. */
export const rememberBest = ({
  as,
  threshold,
  most,
}: {
  readonly as: string;
  readonly threshold: number;
  readonly most: number;
}) =>
  stage({
    id: `rememberBest(${as}, ${threshold}, ${most})`,
    station: 'selection',
    needs: ['completion', 'reward/total'],
    adds: [],
    run: async ({ completion, 'reward/total': rewards_R }, { memory }) => {
      const earlier = (memory.get(as) as readonly string[] | undefined) ?? [];
      const good = completion.filter((_, r) => rewards_R[r] >= threshold);
      memory.set(as, [...new Set([...earlier, ...good].reverse())].slice(0, most).reverse());
      return { columns: {} };
    },
  });
