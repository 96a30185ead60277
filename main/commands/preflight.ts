import { remedyText, tooLarge, type Preflight } from '../../engine/schema/preflight.ts';
import { openServices } from '../headless/open.ts';
import { preflightOf } from '../use-cases/preflight.ts';
import type { Services } from '../services/services.ts';
import { number, onInterrupt, text, workspaceOption, type Command, type Values } from './command.ts';
import { throttled } from './progress.ts';
import { readSpec } from './read-spec.ts';

export const limitOption = { 'limit-mb': { type: 'string' } } as const;

/** The given memory limit in bytes. Read it before opening anything, so that its errors come first. */
export const limitOf = (values: Values): { limitBytes?: number } =>
  values['limit-mb'] === undefined
    ? {}
    : { limitBytes: 1e6 * number(values, 'limit-mb', { fallback: 0, least: 1, most: 1e9 }) };

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
const phases = {
  opening: 'opening the model',
  estimating: 'estimating',
  seeking: 'looking for settings that fit',
  stepping: 'taking two steps',
} as const;

interface EstimateOptions {
  readonly limit: { readonly limitBytes?: number };
  readonly dryRun: boolean;
  log(this: void, text: string): void;
}
/** Estimates a spec and prints progress; Ctrl+C aborts it (`cancelled`). */
export const estimated = async (
  services: Services,
  spec: unknown,
  { limit, log, dryRun }: EstimateOptions,
): Promise<Preflight> => {
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const progress = throttled(log);
  try {
    return await preflightOf(services, spec, {
      dryRun,
      ...limit,
      signal: stop.signal,
      report: ({ phase, done, total }) => progress(`${phases[phase]}: ${done} of ${total}`),
    });
  } finally {
    release();
  }
};

/** Formats an estimate as text. */
export const shown = ({
  keptBytes,
  sessionBytes,
  bufferBytes,
  totalBytes,
  availableBytes,
  fits,
  dryRun,
  remedies,
  steps,
  tooLong,
}: Preflight): string =>
  [
    `memory: about ${megabytes(totalBytes)} of ${megabytes(availableBytes)} (parameters and optimizer ` +
      `${megabytes(keptBytes)}, graphs ${megabytes(sessionBytes)}, buffers ${megabytes(bufferBytes)})`,
    dryRun &&
      `time: about ${dryRun.seconds.toFixed(dryRun.seconds < 10 ? 1 : 0)} s for ${steps} steps, without ` +
        `evaluation (${(1000 * dryRun.secondsPerStep).toFixed(0)} ms per step)`,
    tooLong > 0 && `data: ${tooLong} rows exceed the model's context and would be left out`,
    !fits && 'The run does not fit. Possible remedies:',
    ...remedies.map((each) => `  ${remedyText(each)}`),
  ]
    .filter((line) => line !== false && line !== null)
    .join('\n');

/** Throws `out-of-memory` with remedies for an estimate that does not fit. */
export const refuseTooLarge = (estimate: Preflight): void => {
  if (!estimate.fits) throw tooLarge(estimate);
};

export const preflightCommand: Command = {
  name: 'preflight',
  usage: '--spec FILE --workspace DIR [--limit-mb N] [--no-dry-run]',
  summary: 'Estimate the memory and time of a run before it starts.',
  example: '--spec base.json --workspace my-work',
  positionals: { least: 0, most: 0 },
  options: {
    ...workspaceOption,
    ...limitOption,
    spec: { type: 'string' },
    'no-dry-run': { type: 'boolean' },
  },
  async run({ values, log }) {
    const limit = limitOf(values);
    const spec = await readSpec(text(values, 'spec'));
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    try {
      const value = await estimated(bench.services, spec, {
        limit,
        log,
        dryRun: values['no-dry-run'] !== true,
      });
      return { value, text: shown(value) };
    } finally {
      await bench.close();
    }
  },
};
