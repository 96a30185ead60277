/**
 * True if a metric measures the machine and not the training: times, speeds, memory and processor. These differ
 * between runs that are equal bit for bit.
 */
export const isMachineMetric = (name: string): boolean => /^(seconds|system)\/|_per_second$/.test(name);
