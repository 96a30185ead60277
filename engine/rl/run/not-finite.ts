/** Finds the parameter or gradient that made an update non-finite, for the error message. */
import { firstBroken } from '../../models/broken.ts';
import { ParameterSet } from '../../models/parameters.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { Table } from '../kernel/rows.ts';
import type { LiveRole } from './live-role.ts';

const largestOf = (values: Float32Array): number =>
  values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
/** The tensor with the largest values: the squares of finite values can overflow float32. */
const largestIn = (set: ParameterSet): string =>
  set.slots
    .map(({ name }) => ({ name, most: largestOf(set.view(name)) }))
    .reduce((a, b) => (b.most > a.most ? b : a)).name;

/** The first non-finite parameter, among trained and frozen ones. */
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
      hint: 'Start from an earlier checkpoint, or with another copy of the model.',
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

/** Location of an error. */
interface Place {
  readonly device: Device;
  readonly step: number;
}

/** The error for a run whose last `steps` updates were skipped, with the tensor that caused it. */
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

/** Rethrows a model's numeric error with the step and the parameter that holds NaN or infinity, if any. */
export const rethrowWithParameter = async (
  role: LiveRole,
  error: unknown,
  { device, step }: Place,
): Promise<never> => {
  const isNumeric = error instanceof WhetstoneError && error.kind === 'numeric';
  const parameter = isNumeric ? await badParameter(role, device) : undefined;
  if (parameter === undefined || !isNumeric) throw error;
  throw new WhetstoneError('numeric', `${error.message} Its parameter ${parameter} holds NaN or infinity.`, {
    where: `step ${step}, tensor ${parameter}`,
    hint: error.hint,
    cause: error,
  });
};
