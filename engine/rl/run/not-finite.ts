/** Finds the parameter or gradient that made an update non-finite, for the error message. */
import { firstBroken } from '../../models/broken.ts';
import { ParameterSet } from '../../models/parameters.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { Table } from '../kernel/rows.ts';
import type { LiveRole } from './live-role.ts';

const largestOf = (values: Float32Array): number =>
  values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
/** The tensor with the largest values: squares of finite ones can be more than float32 holds. */
const largestIn = (set: ParameterSet): string =>
  set.slots
    .map(({ name }) => ({ name, most: largestOf(set.view(name)) }))
    .reduce((a, b) => (b.most > a.most ? b : a)).name;

/**
 * The first parameter with a value that is no finite number, of what a role trains or of what is frozen
 * beside that.
 */
export const badParameter = async (
  { trained, model }: Pick<LiveRole, 'trained' | 'model'>,
  device: Device,
): Promise<string | undefined> => {
  await device.read(trained.flat);
  return firstBroken(trained) ?? firstBroken(model.parameters);
};

const worstOf = async (
  role: LiveRole,
  table: Table,
  device: Device,
): Promise<{ tensor: string; what: string; hint: string }> => {
  const parameter = await badParameter(role, device);
  if (parameter !== undefined)
    return {
      tensor: `tensor ${parameter}`,
      what: `the parameter ${parameter} holds NaN or infinity`,
      hint: 'Begin with an earlier checkpoint, or with another copy of the model.',
    };
  const hint =
    'Lower the learning rate, or clip the gradient to a smaller norm, and resume from the last checkpoint.';
  const { loss = NaN, gradient = new Float32Array() } =
    (await role.learner?.gradient(table, role.updates)) ?? {};
  if (!Number.isFinite(loss)) return { tensor: 'loss', what: `the loss is ${loss}`, hint };
  const set = new ParameterSet(role.trained.slots, gradient);
  const tensor = firstBroken(set) ?? largestIn(set);
  return { tensor: `tensor ${tensor}`, what: `the gradient of ${tensor} is too large`, hint };
};

/** Where an error is met. */
interface Place {
  readonly device: Device;
  readonly step: number;
}

/** The end of a run whose last `steps` updates came to nothing, with the tensor that is to blame. */
export const notFinite = async (
  role: LiveRole,
  table: Table,
  { device, step, steps }: Place & { readonly steps: number },
): Promise<WhetstoneError> => {
  const { tensor, what, hint } = await worstOf(role, table, device);
  return new WhetstoneError(
    'numeric',
    `Loss or gradient was not finite in ${steps} steps in a row: ${what}.`,
    { where: `step ${step}, ${tensor}`, hint },
  );
};

/**
 * Rethrows an error of a model that gives no numbers with the step and the parameter that holds NaN or
 * infinity, where there is one.
 */
export const blamed = async (role: LiveRole, error: unknown, { device, step }: Place): Promise<never> => {
  const isNumeric = error instanceof WhetstoneError && error.kind === 'numeric';
  const parameter = isNumeric ? await badParameter(role, device) : undefined;
  if (parameter === undefined || !isNumeric) throw error;
  throw new WhetstoneError('numeric', `${error.message} Its parameter ${parameter} holds NaN or infinity.`, {
    where: `step ${step}, tensor ${parameter}`,
    hint: error.hint,
    cause: error,
  });
};
