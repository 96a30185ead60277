import * as z from 'zod';
import { DeviceId } from './device.ts';
import { WhetstoneError } from '../common/errors.ts';

const bytes = z.number().min(0);

/** The effect of a change of the specification on a run's memory need. */
export const Remedy = z.strictObject({
  /** Path in the specification, and its value before and after. */
  path: z.array(z.string()),
  from: z.unknown(),
  to: z.unknown(),
  totalBytes: bytes,
  fits: z.boolean(),
});
export type Remedy = z.infer<typeof Remedy>;

/** Estimated needs of a run: memory in addition to the engine's own, and time. */
export const Preflight = z.strictObject({
  device: DeviceId,
  parameters: z.number(),
  /**
   * Parameters with all their copies (the trained model, the initial one, models that score), and the
   * optimizer's state.
   */
  keptBytes: bytes,
  /** Values inside the largest graph while it runs: activations and gradients. */
  valueBytes: bytes,
  /** Its feeds and outputs. */
  bufferBytes: bytes,
  /** Bytes that sessions keep between runs: room for their values, and constants. */
  sessionBytes: bytes,
  totalBytes: bytes,
  availableBytes: bytes,
  fits: z.boolean(),
  /** Floating-point operations of one step's matrix products. */
  stepFlops: z.number(),
  steps: z.number(),
  /** Rows and held-out problems beyond the model's context, which the run would leave out. */
  tooLong: z.number(),
  /** Result of two real steps; null if not taken. */
  dryRun: z
    .strictObject({ secondsPerStep: z.number(), seconds: z.number(), peakBytes: bytes.nullable() })
    .nullable(),
  remedies: z.array(Remedy),
});
export type Preflight = z.infer<typeof Preflight>;

/** Progress of an estimate in parts; the last one brings the result. */
export const PreflightProgress = z.strictObject({
  phase: z.enum(['opening', 'estimating', 'seeking', 'stepping']),
  done: z.number(),
  total: z.number(),
  result: Preflight.nullable(),
});
export type PreflightProgress = z.infer<typeof PreflightProgress>;

/** An estimate and the measurement. Errors are estimate ÷ measurement − 1. */
export const PreflightOutcome = z.strictObject({
  estimatedBytes: bytes,
  measuredBytes: bytes.nullable(),
  memoryError: z.number().nullable(),
  secondsPerStep: z.number().nullable(),
  stepFlops: z.number(),
});
export type PreflightOutcome = z.infer<typeof PreflightOutcome>;

const megabytes = (count: number): string => `${Math.ceil(count / 1e6)} MB`;
/** Text of a remedy: a change of the specification, and the resulting need. */
export const remedyText = ({ path, from, to, totalBytes, fits }: Remedy): string =>
  `${path.join('.')} ${String(from)} → ${String(to)}: ${megabytes(totalBytes)}${fits ? '' : ', still too much'}`;

/** The error for a run that does not fit into memory. */
export const tooLarge = ({
  totalBytes,
  availableBytes,
  remedies,
}: Pick<Preflight, 'totalBytes' | 'availableBytes' | 'remedies'>): WhetstoneError =>
  new WhetstoneError(
    'out-of-memory',
    `The run needs about ${megabytes(totalBytes)}, and ${megabytes(availableBytes)} are available.`,
    {
      where: 'memory',
      hint:
        `${remedies.length > 0 ? `${remedies.map(remedyText).join('; ')}.` : 'Choose a smaller model, or close other programs.'} ` +
        'Or start it anyway (budget.overcommit; on the command line --anyway).',
    },
  );
