import { hash } from 'node:crypto';

/** Random choices of one problem or demonstration: a stream that depends on its key alone, never on what was drawn elsewhere. */
export interface Draw {
  /** Uniform in [0, 1). */
  unit(): number;
  /** Uniform over 0 … n − 1. */
  below(n: number): number;
  pick<T>(from: readonly T[]): T;
}

export const drawFor = (purpose: readonly string[], seed: number, index: number, attempt: number): Draw => {
  const key = JSON.stringify([purpose, seed, index, attempt]);
  let block = '';
  let used = 0;
  const unit = () => {
    if (used % 8 === 0) block = hash('sha256', `${key}${used}`);
    const at = (used++ % 8) * 8;
    return Number.parseInt(block.slice(at, at + 8), 16) / 2 ** 32;
  };
  return drawFrom(unit);
};

const drawFrom = (unit: () => number): Draw => {
  const below = (n: number) => Math.floor(unit() * n);
  return { unit, below, pick: (from) => from[below(from.length)] };
};
