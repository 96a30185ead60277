/**
 * Sampling programs that contain a model's weights: the runtime then packs the matrices once, instead of fed
 * ones in every run.
 */
import type { ModelDevice, ModelPlan, ModelProgram } from '../device.ts';
import type { Model } from '../model.ts';
import type { ParameterSet } from '../parameters.ts';
import { parameterFeeds } from '../symbols.ts';

/** Bytes of weights up to which packing is used: a program holds them twice, as written and as packed. */
const mostBytes = 2 ** 26;
/** Making a program with its weights takes about as long as this many tokens save. */
const leastTokens = 32;

/**
 * True if packing pays for answers of up to `tokens` tokens. Depends only on sizes, so that a run repeats.
 */
export const worthPacking = (parameters: ParameterSet, tokens: number): boolean =>
  tokens >= leastTokens && parameters.flat.byteLength <= mostBytes;

interface Held {
  readonly weights: Uint8Array;
  readonly programs: Map<string, Promise<ModelProgram>>;
}
const held = new WeakMap<ModelDevice, Held>();

/** The device's programs for exactly these weights; those for earlier weights are released. */
export const packedPrograms = async (
  device: ModelDevice,
  parameters: ParameterSet,
): Promise<Map<string, Promise<ModelProgram>>> => {
  const { buffer, byteOffset, byteLength } = parameters.flat;
  const weights = new Uint8Array(buffer, byteOffset, byteLength);
  const before = held.get(device);
  if (before && Buffer.compare(before.weights, weights) === 0) return before.programs;
  const programs = new Map<string, Promise<ModelProgram>>();
  held.set(device, { weights: weights.slice(), programs });
  for (const program of before?.programs.values() ?? []) await (await program).release();
  return programs;
};

/**
 * A program of one shape with the weights inside, made if absent. Models with other heads or positions may
 * have exactly the same weights.
 */
export const packedProgram = (
  programs: Map<string, Promise<ModelProgram>>,
  device: ModelDevice,
  { config, parameters }: Model,
  name: string,
  graph: () => Omit<ModelPlan, 'name'>,
): Promise<ModelProgram> => {
  const key = `${name} ${JSON.stringify(config)}`;
  const known = programs.get(key);
  if (known) return known;
  const made = device.compile({ name, ...graph(), constants: parameterFeeds(parameters) });
  made.catch(() => programs.delete(key)); // the caller sees a failure; the next call tries again
  programs.set(key, made);
  return made;
};
