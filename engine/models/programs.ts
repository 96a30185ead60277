import type { ModelConfig } from './config.ts';
import type { ModelDevice, ModelFeeds, ModelPlan, ModelProgram } from './device.ts';

const kept = new WeakMap<ModelDevice, Map<string, Promise<ModelProgram>>>();
/**
 * Descriptions of programs are small (the device bounds their sessions); this only keeps odd shapes from
 * piling up.
 */
const most = 256;

/** Programs of one configuration and form that differ in their shapes alone. */
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
  compiled.catch(() => programs.delete(key)); // a failure is the caller's to see and is tried again next time
  programs.set(key, compiled);
  if (programs.size > most)
    for (const oldest of programs.keys()) {
      programs.delete(oldest);
      break;
    }
  return compiled;
};

/**
 * The least power of two that is at least `n` and `least`. Shapes are rounded up to these, so that few
 * programs serve all batches.
 */
export const bucket = (n: number, least = 1): number => {
  let size = least;
  while (size < n) size *= 2;
  return size;
};

/**
 * The least multiple of a quarter of `n`'s power of two (of `least`, where that is more) that is at least
 * `n`: four programs for each doubling, and at most a fifth is padding.
 */
export const quarterBucket = (n: number, least: number): number => {
  const step = Math.max(least, 2 ** (Math.floor(Math.log2(Math.max(1, n))) - 2));
  return Math.ceil(Math.max(1, n) / step) * step;
};

/** Runs a program with those of a model's weights that it reads: a graph need not use every parameter. */
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
