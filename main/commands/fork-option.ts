import { WhetstoneError } from '../../engine/common/errors.ts';
import { variantsOf } from '../../engine/common/sweep.ts';
import type { OpenServices } from '../headless/open.ts';
import type { Values } from './command.ts';

const refuse = (where: string, message: string, hint: string): never => {
  throw new WhetstoneError('invalid-input', message, { where, hint });
};

/** A value as JSON, or as text where it is none. */
const valueOf = (given: string): unknown => {
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
};

/** A specification with the settings of `--set`. Throws `invalid-input` for one without a value. */
export function withSettings(spec: unknown, values: Values): unknown {
  const given = Array.isArray(values.set) ? values.set.map(String) : [];
  return given.reduce<unknown>((changed, each) => {
    const [path, value = ''] = each.split(/=(.*)/s);
    if (path === '' || value.trim() === '')
      return refuse('--set', `“${each}” is not a setting with a value.`, 'Write --set budget.steps=200');
    const base = changed as Record<string, unknown>;
    return variantsOf(base, [{ path: path.split('.'), values: [valueOf(value.trim())] }])[0].spec;
  }, spec);
}

/**
 * The checkpoint of `--fork`, an id or RUN@STEP, with the specification of its run; null without the flag.
 */
export async function forkOption(
  { api, services }: OpenServices,
  { fork }: Values,
): Promise<{ readonly checkpointId: string; readonly spec: unknown } | null> {
  if (typeof fork !== 'string') return null;
  const [runId, step] = fork.split('@');
  if (step === undefined) {
    const checkpoint = await services.store.checkpoints.get(fork);
    return { checkpointId: fork, spec: (await api.runs.get({ id: checkpoint.runId })).spec };
  }
  const { spec } = await api.runs.get({ id: runId });
  const checkpoints = await api.runs.checkpoints({ runId });
  const found = checkpoints.find((checkpoint) => String(checkpoint.step) === step);
  if (!found)
    return refuse(
      '--fork',
      `The run has no checkpoint of step ${step}.`,
      checkpoints.length > 0
        ? `It has those of steps ${checkpoints.map((each) => each.step).join(', ')}.`
        : 'It has none: set checkpoints.every in its specification.',
    );
  return { checkpointId: found.id, spec };
}

/** State that a run takes from the checkpoint that it continues, in a line. */
export async function forkText({ api }: OpenServices, checkpointId: string, spec: unknown): Promise<string> {
  const { carries, step, because } = await api.runs.fork({ checkpointId, spec });
  return carries === 'state'
    ? `continues from step ${step} with the optimizer’s state`
    : `starts from the weights of step ${step} alone: ${because.join(', ')}`;
}
