/** Rewards nested in a reward: their parameter schema, and how to open them. */
import * as z from 'zod';
import { WhetstoneError } from '../common/errors.ts';
import type { RewardContext, Scorer } from './reward.ts';

/** A nested reward: its id and parameters. */
export const innerReward = z.strictObject({
  id: z.string().min(1),
  params: z.record(z.string(), z.unknown()).default({}),
});

/** Throws the errors of the nested reward's `open`, and `unsupported` outside a stack. */
export const openInner = (
  { open }: RewardContext,
  { id, params }: z.output<typeof innerReward>,
  where: string,
): Promise<Scorer> => {
  if (!open)
    throw new WhetstoneError(
      'unsupported',
      `Reward "${where}" nests another one, which cannot be opened here.`,
      { where: `rewards: ${where}` },
    );
  return open(id, params);
};

/** State of nested rewards, in their order, for those that have one. */
export const memoryOf = (inner: readonly Scorer[]) => ({
  state: (): readonly unknown[] => inner.map((scorer) => scorer.state?.() ?? null),
  restore: (saved: unknown): void =>
    (saved as readonly unknown[]).forEach((state, at) => {
      if (state !== null) inner[at].restore?.(state);
    }),
});
