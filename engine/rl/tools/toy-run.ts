/** Runs a method's toy run, which proves within seconds that the method learns. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkSpec } from '../run/check-spec.ts';
import type { Device } from '../../runtime/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { EngineCalls, EventBody } from '../../schema/messages.ts';
import type { RunSpec, RunSpecInput } from '../../schema/run-spec.ts';
import type { Method } from '../kernel/method.ts';
import { methods } from '../methods/index.ts';
import { stubOf } from '../tasks/kinds/index.ts';
import { runToEnd } from '../run/train.ts';

/** A model small enough for toys. */
export const toyModel: RunSpecInput['models'] = {
  policy: {
    kind: 'new',
    architecture: { width: 32, layers: 1, heads: 2, context: 24 },
    tokenizer: { kind: 'characters' },
  },
};

/** The toy model, also for roles that need a model of their own: it has other random weights there. */
export const toyModels = (method: Method): RunSpecInput['models'] => {
  if (method.task === 'control')
    return { policy: { kind: 'network', hidden: [...(method.sanity?.hidden ?? [32])] } };
  const { roles } = method.recipe({}, stubOf(method));
  const own = Object.keys(roles).filter((name) => roles[name].ownModel);
  return { ...toyModel, ...Object.fromEntries(own.map((name) => [name, toyModel.policy])) };
};

/** A method's toy run as a spec. Throws `unsupported` if it trains nothing. */
export const sanitySpec = (method: Method, seed: number, learningRate?: number): RunSpec => {
  const { id, sanity } = method;
  if (!sanity)
    throw new WhetstoneError('unsupported', `'${id}' trains nothing, so it has no toy run.`, {
      where: 'id',
    });
  const optimizer = { ...sanity.run.optimizer, ...(learningRate !== undefined && { learningRate }) };
  return checkSpec({
    method: { id, params: sanity.params ?? {} },
    models: toyModels(method),
    task:
      method.task === 'control'
        ? { kind: 'control', id: sanity.world }
        : { kind: 'world', id: sanity.world, params: sanity.worldParams ?? {} },
    optimizer,
    budget: sanity.run.budget,
    sampling: { maxTokens: 4 },
    evaluation: { problems: 60, samples: 4 },
    seed,
  });
};

/** The last value of a metric, or a field of the last result of a kind (`evaluation/gold`). */
export const found = (seen: readonly EventBody[], name: string): number => {
  const [kind, field] = name.split('/');
  const result = seen.findLast((event) => event.type === 'result' && event.kind === kind);
  if (result?.type === 'result') return (result.value as Record<string, number>)[field];
  const metrics = seen.findLast((event) => event.type === 'metrics' && name in event.values);
  if (metrics?.type !== 'metrics') throw new WhetstoneError('internal', `the run never reported '${name}'`);
  return metrics.values[name];
};

type Asked = EngineCalls['toyRun'];

/**
 * Runs the toy run of a method with a seed, in a temporary folder. Throws `not-found` for an unknown method,
 * `unsupported` for one without a toy run.
 */
export const toyRun = async (
  device: Device,
  { id, seed }: Asked['input'],
  report?: (progress: Asked['progress']) => void,
  stop = new AbortController().signal,
): Promise<Asked['output']> => {
  const method = methods.find((each) => each.id === id);
  if (!method) throw new WhetstoneError('not-found', `There is no method '${id}'.`, { where: 'id' });
  const spec = sanitySpec(method, seed);
  const { metric = '', atLeast = -Infinity, atMost = Infinity } = method.sanity ?? {};
  const outDir = await mkdtemp(join(tmpdir(), 'whetstone-toy-'));
  const seen: EventBody[] = [];
  const began = performance.now();
  try {
    const emit = async (body: EventBody): Promise<void> => {
      if (body.type === 'progress') {
        if (body.of === undefined) report?.({ done: body.done, total: body.total });
      } else if (body.type === 'metrics' || body.type === 'result') seen.push(body);
    };
    const outcome = await runToEnd(
      {
        runId: 'toy',
        attempt: 1,
        spec,
        resources: { checkpoints: {}, datasets: {}, preferences: {} },
        outDir,
      },
      { emit },
      stop,
      device,
    );
    // a partial result does not count
    if (outcome === 'stopped')
      throw new WhetstoneError('cancelled', 'The toy run was cancelled before its end.');
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
  const value = found(seen, metric);
  return {
    seed,
    value,
    reached: value >= atLeast && value <= atMost,
    seconds: (performance.now() - began) / 1000,
  };
};
