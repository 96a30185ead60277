import type { ModelConfig } from './config.ts';
import type { ModelDevice, ModelFeeds, ModelPlan, ModelProgram } from './device.ts';

const kept = new WeakMap<ModelDevice, Map<string, Promise<ModelProgram>>>();
/**
 * Most program descriptions kept. They are small (the device bounds their sessions); this only prevents odd
 * shapes from accumulating.
 */
const most = 256;

/** Kind of the programs of one configuration and form, which differ only in their shapes. */
export const kindOf = (
  name: string,
  { config, form }: { readonly config: ModelConfig; readonly form: string },
): string => `${name} ${JSON.stringify(config)} ${form}`;

/**
 * The program for a model's configuration, the form of its inputs, and a shape; its graph is built and
 * lowered once per device.
 */
export const programFor = (
  device: ModelDevice,
  name: string,
  model: { readonly config: ModelConfig; readonly form: string },
  shape: Readonly<Record<string, number | boolean>>,
  graph: () => Omit<ModelPlan, 'name'>,
): Promise<ModelProgram> => {
  const programs = kept.get(device) ?? new Map<string, Promise<ModelProgram>>();
  kept.set(device, programs);
  const key = `${name} ${JSON.stringify(model)} ${JSON.stringify(shape)}`;
  const known = programs.get(key);
  if (known) return known;
  const compiled = device.compile({
    name: `${name} ${Object.entries(shape)
      .map(([axis, n]) => `${axis}=${n}`)
      .join(' ')}`,
    kind: kindOf(name, model),
    ...graph(),
  });
  compiled.catch(() => programs.delete(key)); // the caller sees a failure; the next call tries again
  programs.set(key, compiled);
  if (programs.size > most)
    for (const oldest of programs.keys()) {
      programs.delete(oldest);
      break;
    }
  return compiled;
};

/**
 * The smallest power of two that is at least `n` and `least`. Shapes are rounded up to these, so that few
 * programs serve all batches.
 */
export const bucket = (n: number, least = 1): number => {
  let size = least;
  while (size < n) size *= 2;
  return size;
};

/**
 * The smallest multiple of a quarter of `n`'s power of two (of `least` if larger) that is at least `n`: four
 * programs per doubling, and at most a fifth is padding.
 */
export const quarterBucket = (n: number, least: number): number => {
  const step = Math.max(least, 2 ** (Math.floor(Math.log2(Math.max(1, n))) - 2));
  return Math.ceil(Math.max(1, n) / step) * step;
};

/** Runs a program with the model weights that it reads: a graph need not use every parameter. */
export const runWith = (
  program: ModelProgram,
  weights: ModelFeeds,
  feeds: ModelFeeds,
  sizes?: Readonly<Record<string, number>>,
): Promise<ModelFeeds> =>
  program.run(
    { ...Object.fromEntries(Object.entries(weights).filter(([name]) => name in program.inputs)), ...feeds },
    sizes,
  );
