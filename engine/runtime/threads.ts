import { availableParallelism } from 'node:os';

/**
 * Number of threads of a device where none is asked for: all cores, or fewer as the variable
 * WHETSTONE_THREADS states, for a machine that other work needs too. Another value than a positive integer
 * counts as not stated.
 */
export const threadCount = (stated: string | undefined = process.env.WHETSTONE_THREADS): number => {
  const cores = availableParallelism();
  const count = Number(stated);
  return Number.isInteger(count) && count > 0 ? Math.min(count, cores) : cores;
};
