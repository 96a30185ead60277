import { stream } from '../../engine/random/random.ts';

/** Random letters, deterministic in the seed. */
export const streamOf = (seed: number): ((length: number) => string) => {
  const drawn = stream(seed, 'letters');
  return (length) => Array.from({ length }, () => String.fromCharCode(97 + drawn.int(26))).join('');
};
