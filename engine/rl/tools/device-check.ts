/**
 * Checks whether a device computes the same as the CPU: a small model is trained, saved and queried on both.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMachineMetric } from '../../common/machine-metrics.ts';
import { checkSpec } from '../run/check-spec.ts';
import { readCheckpoint } from '../../models/checkpoint.ts';
import { generate } from '../../models/generate/generate.ts';
import { Device, openDevice } from '../../runtime/index.ts';
import type { DeviceId, DeviceVerdict } from '../../schema/device.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { EventBody } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import { runToEnd } from '../run/train.ts';

/** Largest accepted deviation from the CPU. */
const TOLERANCE = 1e-3;

const settings = {
  method: { id: 'sft' },
  task: { kind: 'world', id: 'toy/copy' },
  budget: { steps: 3, batch: 4 },
  sampling: { maxTokens: 4 },
  evaluation: { problems: 0 },
  // plain descent: an adaptive step would turn the sign of a gradient that is only rounding into a
  // full-length step
  optimizer: { kind: 'sgd', learningRate: 0.05, beta1: 0.9, warmup: 0, schedule: 'constant' },
} as const;
const whole = () =>
  checkSpec({
    ...settings,
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 1, heads: 2, context: 24 },
        tokenizer: { kind: 'characters' },
      },
    },
  });
/** Two adapter steps on the first run's model: frozen weights take another code path than trained ones. */
const adapterSpec = () =>
  checkSpec({
    ...settings,
    budget: { steps: 2, batch: 4 },
    adapter: { kind: 'lora', rank: 2, alpha: 4 },
    models: { policy: { kind: 'checkpoint', checkpointId: 'whole' } },
  });

/**
 * Numbers by name: metrics of every step, parameters, log-probabilities of the tokens that both sides
 * generate.
 */
interface Trained {
  readonly numbers: ReadonlyMap<string, ArrayLike<number>>;
  readonly answers: readonly {
    readonly tokens: Int32Array;
    readonly logp: Float32Array;
    readonly promptLength: number;
  }[];
}

/** A run's metrics by name and position, and its checkpoint. */
const run = async (
  device: Device,
  spec: RunSpec,
  outDir: string,
  checkpoints: Readonly<Record<string, string>>,
): Promise<{ metrics: [string, number[]][]; path: string }> => {
  const events: EventBody[] = [];
  const started = {
    runId: 'self-check',
    attempt: 1,
    spec,
    resources: { checkpoints, datasets: {}, preferences: {} },
    outDir,
  };
  await runToEnd(
    started,
    {
      emit: async (body) => {
        events.push(body);
      },
    },
    new AbortController().signal,
    device,
  );
  const saved = events.find((body) => body.type === 'checkpoint');
  if (!saved) throw new WhetstoneError('internal', 'The self-check has no checkpoint.');
  const metrics = events.flatMap((body) =>
    body.type === 'metrics' ? Object.entries(body.values).filter(([name]) => !isMachineMetric(name)) : [],
  );
  return {
    path: saved.checkpoint.path,
    metrics: metrics.map(([name, value], at) => [`${name} (${at})`, [value]]),
  };
};

const trainOn = async (device: Device, outDir: string): Promise<Trained> => {
  const { metrics, path } = await run(device, whole(), join(outDir, 'whole'), {});
  const adapted = await run(device, adapterSpec(), join(outDir, 'adapter'), { whole: path });
  const { model } = await readCheckpoint(path);
  const rows = [3, 5].map((token) => ({
    prompt: Int32Array.of(0, token),
    promptId: `self-check ${token}`,
    sample: 0,
  }));
  return {
    numbers: new Map<string, ArrayLike<number>>([
      ...metrics,
      ...adapted.metrics.map(([name, values]): [string, number[]] => [`adapter's ${name}`, values]),
      ['parameters', model.parameters.flat],
    ]),
    answers: await generate({
      device,
      model,
      rows,
      temperature: 0,
      maxTokens: 6,
      seed: 0,
      purpose: 'self-check',
      step: 0,
    }),
  };
};

const deviation = (a: number, b: number): number =>
  Object.is(a, b) ? 0 : Math.abs(a - b) / Math.max(1, Math.abs(b));

/**
 * The largest deviation and its location. Two equally likely tokens may be ordered differently, so an answer
 * is compared up to there.
 */
export const compareTrained = (made: Trained, right: Trained): { worst: number; where: string } => {
  let [worst, where] = [0, ''];
  const see = (name: string, a: ArrayLike<number>, b: ArrayLike<number>, until = b.length): void => {
    for (let at = 0; at < until; at++) {
      const off = a.length > at ? deviation(a[at], b[at]) : Infinity;
      if (!(off <= worst)) [worst, where] = [Number.isNaN(off) ? Infinity : off, name];
    }
  };
  for (const [name, values] of right.numbers) see(name, made.numbers.get(name) ?? [], values);
  right.answers.forEach(({ tokens, logp, promptLength }, row) => {
    const fork = tokens.findIndex((token, at) => made.answers[row].tokens[at] !== token);
    see(
      'generated log-probabilities',
      made.answers[row].logp,
      logp,
      fork < 0 ? logp.length : fork - promptLength + 1,
    );
  });
  return { worst, where };
};

/** Kinds of nodes that ran on the CPU, from the runtime's profiles. */
const cpuNodesOf = async (folder: string): Promise<Record<string, number>> => {
  const nodes = new Map<string, Set<string>>();
  for (const file of (await readdir(folder)).filter((name) => name.startsWith('profile'))) {
    const events = JSON.parse(await readFile(join(folder, file), 'utf8')) as readonly {
      cat: string;
      name: string;
      args?: { provider?: string; op_name?: string };
    }[];
    for (const { cat, name, args } of events) {
      if (cat !== 'Node' || args?.provider !== 'CPUExecutionProvider' || args.op_name === undefined) continue;
      nodes.set(args.op_name, (nodes.get(args.op_name) ?? new Set()).add(`${file} ${name}`));
    }
  }
  return Object.fromEntries([...nodes].map(([op, places]) => [op, places.size]));
};

/**
 * Trains on a device and on the CPU. Throws `device-failed` if the device cannot be opened, fails, or
 * computes something else.
 */
export const checkDevice = async (id: DeviceId): Promise<DeviceVerdict> => {
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-device-'));
  const began = performance.now();
  try {
    await (await openDevice({ id })).close();
    const [cpu, device] = [
      new Device({ id: 'cpu', threads: 1 }),
      new Device({ id, profile: join(folder, 'profile') }),
    ];
    const right = await trainOn(cpu, join(folder, 'cpu'));
    const { worst, where } = compareTrained(await trainOn(device, join(folder, 'device')), right);
    await Promise.all([cpu.close(), device.close()]);
    if (!(worst <= TOLERANCE)) {
      throw new WhetstoneError(
        'device-failed',
        `A small training run differs from the CPU's by ${worst.toPrecision(2)} in ${where}; ${TOLERANCE} is allowed.`,
        { where: id, hint: 'Update the graphics driver, or train on another device.' },
      );
    }
    return {
      worst,
      seconds: (performance.now() - began) / 1000,
      cpuNodes: id === 'cpu' ? {} : await cpuNodesOf(folder),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
