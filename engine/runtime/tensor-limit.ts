/** Bounds the size of one tensor: a device with its own memory holds each in one buffer. */
import type { DeviceId } from '../schema/device.ts';
import { WhetstoneError } from '../common/errors.ts';
import type { Expr } from '../tensor/index.ts';
import { inputName } from '../tensor/ops/source.ts';
import { show } from '../tensor/types.ts';
import { largestValue } from './footprint.ts';

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
const remedy =
  'Choose the CPU, LoRA in place of all weights (adapter.kind), a model with a smaller vocabulary, or ' +
  'fewer tokens at once (budget.microTokens, budget.batch).';

/**
 * Maximum bytes of one tensor on a device. Shaders count a buffer's bytes in 32 bits; a driver may allow
 * less, which the runtime does not report: set the variable WHETSTONE_TENSOR_MB to state it.
 */
export const tensorBytesOf = (id: DeviceId): number => {
  const stated = Number(process.env.WHETSTONE_TENSOR_MB);
  return id === 'webgpu' ? Math.min(2 ** 32 - 1, stated > 0 ? stated * 1e6 : Infinity) : Infinity;
};

const largest = (
  roots: readonly Expr[],
): { readonly name: string; readonly bytes: number; readonly what: string } | undefined => {
  const found = largestValue(roots);
  if (!found) return undefined;
  const name = inputName(found.node) ?? `a value of ${found.node.op.name}`;
  return { name, bytes: found.bytes, what: `${name}, ${show(found.type)}, of ${megabytes(found.bytes)}` };
};

/**
 * Throws `out-of-memory`, naming the tensor, if a graph has a value larger than the device can hold in one
 * piece.
 */
export const checkTensors = (
  program: string,
  roots: readonly Expr[],
  device: { readonly title: string; readonly tensorBytes: number },
): void => {
  const found = device.tensorBytes === Infinity ? undefined : largest(roots);
  if (!found || found.bytes <= device.tensorBytes) return;
  throw new WhetstoneError(
    'out-of-memory',
    `${device.title} holds at most ${megabytes(device.tensorBytes)} in one tensor; '${program}' needs ${found.what}.`,
    { where: found.name, hint: remedy },
  );
};

/** The error of a run on a device; if memory ran out, it names the largest tensor of the graph. */
export const withLargestTensor = (error: unknown, roots: readonly Expr[]): unknown => {
  const found =
    error instanceof WhetstoneError && error.kind === 'out-of-memory' ? largest(roots) : undefined;
  if (!found || !(error instanceof WhetstoneError)) return error;
  return new WhetstoneError('out-of-memory', `${error.message} The largest tensor is ${found.what}.`, {
    where: found.name,
    hint: remedy,
    cause: error,
  });
};
