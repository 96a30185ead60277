import { z } from 'zod';
import { DeviceId } from './device.ts';
import { WhetstoneError } from '../common/errors.ts';

const bytes = z.number().min(0);

/** What a change of the specification would make of the memory that a run needs. */
export const Remedy = z.strictObject({
  /** Place in the specification, and its value now and then. */
  path: z.array(z.string()),
  from: z.unknown(),
  to: z.unknown(),
  totalBytes: bytes,
  fits: z.boolean(),
});
export type Remedy = z.infer<typeof Remedy>;

/** What a run will take, as far as it can be known before it: memory beside the engine's own, and time. */
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
  /** What is fed to it and returned. */
  bufferBytes: bytes,
  /** What sessions keep between runs: room for the values of each, and constants. */
  sessionBytes: bytes,
  totalBytes: bytes,
  availableBytes: bytes,
  fits: z.boolean(),
  /** Arithmetic of one step's matrix products. */
  stepFlops: z.number(),
  steps: z.number(),
  /** Two steps taken for real; null where they were not. */
  dryRun: z
    .strictObject({ secondsPerStep: z.number(), seconds: z.number(), peakBytes: bytes.nullable() })
    .nullable(),
  remedies: z.array(Remedy),
});
export type Preflight = z.infer<typeof Preflight>;

/** Where the making of an estimate stands: its parts, of how many; the last one brings the result. */
export const PreflightProgress = z.strictObject({
  phase: z.enum(['opening', 'estimating', 'seeking', 'stepping']),
  done: z.number(),
  total: z.number(),
  result: Preflight.nullable(),
});
export type PreflightProgress = z.infer<typeof PreflightProgress>;

/** An estimate beside what came. Errors are estimate ÷ measurement − 1. */
export const PreflightOutcome = z.strictObject({
  estimatedBytes: bytes,
  measuredBytes: bytes.nullable(),
  memoryError: z.number().nullable(),
  secondsPerStep: z.number().nullable(),
  stepFlops: z.number(),
});
export type PreflightOutcome = z.infer<typeof PreflightOutcome>;

const megabytes = (count: number): string => `${Math.ceil(count / 1e6)} MB`;
/** A change of the specification, and what it would make of the need, for people. */
export const remedyText = ({ path, from, to, totalBytes, fits }: Remedy): string =>
  `${path.join('.')} ${String(from)} → ${String(to)}: ${megabytes(totalBytes)}${fits ? '' : ', still too much'}`;

/** What a run that cannot fit is refused with, wherever it is started from. */
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
