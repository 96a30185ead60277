import { stream } from '../../engine/data/random.ts';
import type { Size } from './sizes.ts';

/** Lengths of answers are uniform between an eighth and three quarters of the context: 16 to 96 tokens for the model (a). */
export const answerLengths = ({ context }: Size, batch: number, seed: number): number[] => {
  const draw = stream(seed, 'lengths', batch), [least, most] = [context / 8, (3 * context) / 4];
  return Array.from({ length: batch }, () => least + draw.int(most - least + 1));
};
