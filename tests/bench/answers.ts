import { stream } from '../../engine/random/random.ts';
import type { Size } from './sizes.ts';

export const longestAnswer = ({ context }: Pick<Size, 'context'>): number => (3 * context) / 4;

/**
 * Answer lengths are uniform between an eighth and three quarters of the context: 16 to 96 tokens for the
 * model (a).
 */
export const answerLengths = ({ context }: Pick<Size, 'context'>, batch: number, seed: number): number[] => {
  const draw = stream(seed, 'lengths', batch);
  const least = context / 8;
  const most = longestAnswer({ context });
  return Array.from({ length: batch }, () => least + draw.int(most - least + 1));
};
