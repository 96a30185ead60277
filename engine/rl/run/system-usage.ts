/** Resources that a step takes of the machine; the numbers differ from run to run. */
export interface SystemUsage {
  /** Resident memory of the engine process in MB (10⁶ bytes), at the end of the step. */
  readonly 'system/memory_mb': number;
  /** Processor time of the engine process since the step before, over the time that passed: cores in use. */
  readonly 'system/cores': number;
}

/** Starts to measure; each call of the result measures since the one before. */
export const systemUsage = (): (() => SystemUsage) => {
  let [lastAt, lastUsed] = [performance.now(), process.cpuUsage()];
  return () => {
    const [at, used] = [performance.now(), process.cpuUsage()];
    const busyMs = (used.user + used.system - lastUsed.user - lastUsed.system) / 1000;
    const passedMs = Math.max(at - lastAt, 1e-3);
    [lastAt, lastUsed] = [at, used];
    return { 'system/memory_mb': process.memoryUsage.rss() / 1e6, 'system/cores': busyMs / passedMs };
  };
};
