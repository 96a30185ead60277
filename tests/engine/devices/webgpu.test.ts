/**
 * Compares WebGPU with the CPU, on a driver that runs on the CPU: training, generation, a GRPO step, a Llama,
 * an adapter on a frozen model, and what stays in device memory.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { fixedCases, type FixedPair } from '../../support/fixed-rows.ts';
import { noSwiftShader, swiftShader } from '../../support/swiftshader.ts';

const child = fileURLToPath(new URL('../../support/webgpu-child.ts', import.meta.url));
const env = swiftShader();

interface Answer {
  readonly tokens: readonly number[];
  readonly logp: readonly number[];
}
interface Run {
  readonly heldBytes: number;
  readonly modelBytes: number;
  readonly trainedBytes: number;
  readonly metrics: readonly { readonly [name: string]: number }[];
  readonly answers: readonly string[];
  readonly saved: readonly { readonly [name: string]: readonly number[] }[];
}
interface Fixed {
  readonly updates: Readonly<Record<string, FixedPair>>;
  readonly perToken: Readonly<Record<string, number>>;
}
interface Both<T> {
  readonly cpu: T;
  readonly webgpu: T;
}
interface Outcome {
  readonly opErrors: Both<Readonly<Record<string, number>>>;
  readonly fixedRows: Both<Fixed>;
  readonly memory: Both<Record<string, unknown>>;
  readonly tooLarge: Both<unknown>;
  readonly answers: Both<Readonly<Record<'greedy' | 'sampled' | 'filtered', readonly Answer[]>>>;
  readonly sharedPrompts: Both<{
    readonly loss: number;
    readonly gradient: readonly number[];
    readonly logp: readonly number[];
  }>;
  readonly llamaAnswers: Outcome['answers'];
  readonly wideAnswers: Outcome['answers'];
  readonly sft: Both<Run>;
  readonly llama: Both<Run>;
  readonly lora: Both<Run>;
  readonly grpo: Both<Run>;
}

const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-3 * Math.max(1, Math.abs(b));
const sameMetrics = ({ cpu, webgpu }: Both<Run>): void => {
  expect(webgpu.metrics.length).toBe(cpu.metrics.length);
  cpu.metrics.forEach((metrics, at) => {
    expect(Object.keys(webgpu.metrics[at])).toEqual(Object.keys(metrics));
    for (const [name, value] of Object.entries(metrics)) {
      expect(
        close(webgpu.metrics[at][name], value),
        `${name} of point ${at}: ${webgpu.metrics[at][name]} where the CPU has ${value}`,
      ).toBe(true);
    }
  });
};

describe.skipIf(!env)(`WebGPU${env ? '' : ` (skipped: ${noSwiftShader})`}`, () => {
  let out: Outcome;
  beforeAll(async () => {
    // a driver fault ends the process, so run it in a child process
    const { stdout } = await promisify(execFile)(process.execPath, [child], {
      env,
      maxBuffer: 2 ** 26,
      timeout: 1_180_000,
    });
    out = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
  }, 1_200_000);

  it('keeps the outputs of runs in device memory, finds views there, and copies them to the host on request', () => {
    const { cpu, webgpu } = out.memory;
    const values = ({ held, refused, ...rest }: Record<string, unknown>) => [
      rest,
      typeof held,
      typeof refused,
    ];
    expect(values(webgpu)).toEqual(values(cpu));
    expect(webgpu).toMatchObject({ held: 24, closed: 0, refused: expect.stringMatching(/read it first/) });
    expect(cpu.held).toBe(0);
  });

  it('names the largest tensor when the driver cannot allocate it, and continues to work', () => {
    expect(out.tooLarge.webgpu).toMatchObject({
      after: [2],
      refused: {
        kind: 'out-of-memory',
        message: expect.stringMatching(/largest tensor is a value of .+ of 42\d\d MB/),
        hint: expect.stringContaining('CPU'),
      },
    });
  });

  it('computes every op', () => {
    const { webgpu, cpu } = out.opErrors;
    expect(Object.keys(webgpu)).toEqual(Object.keys(cpu));
    expect(Object.keys(webgpu).length).toBeGreaterThan(40);
    expect(Object.entries(webgpu).filter(([, error]) => !(error <= 1e-3))).toEqual([]);
  });

  it.each(Object.keys(fixedCases))('takes the same step from the same rows: %s', (name) => {
    const { webgpu, cpu } = out.fixedRows;
    const { made, right } = webgpu.updates[name];
    expect(made.gradientError).toBeLessThan(1e-3);
    for (const [what, value] of Object.entries({
      loss: right.loss,
      gradNorm: right.gradNorm,
      ...right.metrics,
    })) {
      const found: Readonly<Record<string, number>> = {
        loss: made.loss,
        gradNorm: made.gradNorm,
        ...made.metrics,
      };
      expect(close(found[what], value), `${what}: ${found[what]} where ${value} is right`).toBe(true);
    }
    expect(close(made.gradNorm, cpu.updates[name].made.gradNorm)).toBe(true);
  });

  it('gives the same log-probabilities at any temperature', () => {
    expect(Object.keys(out.fixedRows.webgpu.perToken).length).toBe(9);
    expect(Object.entries(out.fixedRows.webgpu.perToken).filter(([, error]) => !(error <= 1e-4))).toEqual([]);
  });

  it.each(['answers', 'llamaAnswers', 'wideAnswers'] as const)('generates the same tokens: %s', (which) => {
    const { cpu, webgpu } = out[which];
    for (const how of ['greedy', 'sampled', 'filtered'] as const)
      cpu[how].forEach(({ tokens, logp }, at) => {
        expect(webgpu[how][at].tokens).toEqual(tokens);
        logp.forEach((value, t) =>
          expect(close(webgpu[how][at].logp[t], value), `${how} ${at}, token ${t}`).toBe(true),
        );
      });
  });

  it('computes a shared prompt once for its answers, as the CPU does', () => {
    const { cpu, webgpu } = out.sharedPrompts;
    // positions of the shared prefix have no targets
    expect(cpu.logp.slice(0, 24).every((value) => value === 0)).toBe(true);
    expect(close(webgpu.loss, cpu.loss)).toBe(true);
    for (const which of ['gradient', 'logp'] as const)
      cpu[which].forEach((value, at) =>
        expect(close(webgpu[which][at], value), `${which} ${at}: ${webgpu[which][at]}, ${value}`).toBe(true),
      );
  });

  it.each(['sft', 'llama', 'lora'] as const)(
    'trains as the CPU does, and saves what it has trained: %s',
    (which) => {
      const both = out[which];
      sameMetrics(both);
      expect(both.webgpu.saved.length).toBe(1);
      // the size of an Adam update is the learning rate, whatever the gradient; if the gradient is only
      // rounding error, so is the update's sign
      for (const [name, values] of Object.entries(both.cpu.saved[0])) {
        const worst = Math.max(
          ...values.map((value, at) => Math.abs(value - both.webgpu.saved[0][name][at])),
        );
        expect(worst, name).toBeLessThan(name === 'parameters' ? 1e-3 : 1e-4);
      }
      expect(Object.keys(both.cpu.saved[0]).length).toBeGreaterThan(3);
      expect(both.cpu.metrics.some(({ loss }) => loss !== 0 && loss !== undefined)).toBe(true);
    },
  );

  it('takes GRPO steps as the CPU does, from the same answers', () => {
    expect(out.grpo.webgpu.answers).toEqual(out.grpo.cpu.answers);
    sameMetrics(out.grpo);
    expect(out.grpo.cpu.metrics.filter(({ loss }) => loss !== undefined).length).toBe(2);
  });

  it('samples, scores and trains an adapter with one copy of the frozen model', () => {
    const { cpu, webgpu } = out.lora;
    expect(webgpu.answers).toEqual(cpu.answers);
    expect(new Set(cpu.answers).size).toBeGreaterThan(1);
    expect(webgpu.trainedBytes).toBeLessThan(webgpu.modelBytes / 4);
    // the model once; for the adapter, its parameters, its start and two moments
    expect(webgpu.heldBytes).toBeGreaterThanOrEqual(webgpu.modelBytes);
    expect(webgpu.heldBytes).toBeLessThan(webgpu.modelBytes + 6 * webgpu.trainedBytes);
  });
});
