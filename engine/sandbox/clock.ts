/**
 * Milliseconds that this thread has computed, which is what a task's limit counts: on a busy machine, or one
 * that was halted, time passes in which a task does nothing, and the same answer must get the same value
 * again.
 */
export const computedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
