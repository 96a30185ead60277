/**
 * Processor time of this thread in milliseconds, which a task's limit counts: wall time also passes on a
 * busy or suspended machine, and the same answer must get the same value again.
 */
export const computedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
