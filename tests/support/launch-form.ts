import {
  checkSpec,
  composers,
  controllers,
  controlWorldInfos,
  methods,
  recommended,
  rewards,
  specSchema,
  taskKinds,
  worlds,
} from '../../engine/index.ts';
import type { Preflight } from '../../engine/schema/preflight.ts';
import type { LabelSet } from '../../preload/contract/labels.ts';
import type { Checkpoint } from '../../preload/contract/runs.ts';
import { LaunchState, type Catalogue, type Stock } from '../../renderer/features/runs/form/launch.svelte.ts';

/** The engine's own catalogue, so that new methods are tested automatically. */
export const catalogue = structuredClone({
  methods,
  taskKinds,
  worlds,
  controlWorlds: controlWorldInfos,
  rewards,
  composers: composers.map((one) => ({ ...one })),
  controllers,
  spec: specSchema,
  recommended,
}) as unknown as Catalogue;
export const newModel = {
  models: { policy: { kind: 'new', architecture: {}, tokenizer: { kind: 'characters' } } },
};

/** An estimate that does not fit, with remedies. */
export const tooLarge: Preflight = {
  device: 'cpu',
  parameters: 7,
  keptBytes: 1,
  valueBytes: 2,
  bufferBytes: 3,
  sessionBytes: 4,
  totalBytes: 200,
  availableBytes: 100,
  fits: false,
  stepFlops: 5,
  steps: 20,
  tooLong: 0,
  dryRun: null,
  remedies: [{ path: ['budget', 'batch'], from: 32, to: 8, totalBytes: 80, fits: true }],
};
export const small: Preflight = { ...tooLarge, totalBytes: 50, fits: true, remedies: [] };

export const checkpoint = (id: string, more: Partial<Checkpoint> = {}): Checkpoint => ({
  id,
  runId: `run of ${id}`,
  runName: `run of ${id}`,
  attempt: 1,
  step: 10,
  path: id,
  hash: id,
  bytes: 1,
  parameters: 7,
  head: 'next-token',
  final: true,
  createdAt: 1,
  method: 'sft',
  kept: false,
  ...more,
});
export const labelSet = (id: string): LabelSet => ({
  id,
  name: id,
  createdAt: 1,
  source: 'dataset:d',
  pairs: 9,
  labeled: 9,
  decided: 9,
});

const bare: Stock = { catalogue, checkpoints: [], models: [], datasets: [], labelSets: [], runs: [] };

interface Opened {
  readonly launch: LaunchState;
  /** Specifications of launched runs. */ readonly launched: unknown[];
  readonly asked: unknown[];
}

/** A form with services that check like the engine. `refusal`: the error of the estimate. */
export function openForm(
  start: Record<string, unknown> = newModel,
  { stock = {}, estimates = small }: { stock?: Partial<Stock>; estimates?: Preflight | 'never' | Error } = {},
): Opened {
  const asked: unknown[] = [];
  const launched: unknown[] = [];
  const launch = new LaunchState(
    { ...bare, ...stock },
    start,
    {
      check: async ({ spec }) => checkSpec(spec),
      launch: async ({ spec }) => {
        checkSpec(spec);
        launched.push(spec);
        return { runId: 'run' };
      },
      preflight: ({ spec, dryRun }, onValue, onEnd) => {
        asked.push({ dryRun });
        queueMicrotask(() => {
          try {
            checkSpec(spec);
            onValue({ phase: 'estimating', done: 1, total: 4, result: null });
            if (estimates === 'never') return;
            if (estimates instanceof Error) throw estimates;
            onValue({ phase: 'stepping', done: 1, total: 1, result: estimates });
            onEnd?.();
          } catch (error) {
            onEnd?.(error);
          }
        });
        return () => void asked.push('let go');
      },
    },
    () => undefined,
  );
  return { launch, launched, asked };
}
