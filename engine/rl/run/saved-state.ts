/** State of a run in a checkpoint, other than its model: counters, rows, optimizers, scorers, controllers. */
import { join } from 'node:path';
import * as z from 'zod';
import {
  readCheckpoint,
  writeCheckpoint,
  type Checkpoint,
  type SavedCheckpoint,
} from '../../models/checkpoint.ts';
import { inType, type Model } from '../../models/model.ts';
import type { StartRun } from '../../schema/messages.ts';
import { JudgeOutput } from '../../schema/judge-output.ts';
import type { Table } from '../kernel/rows.ts';
import { packTable, unpackTable, type PackedTable } from './pack.ts';
import type { BufferedRows } from './buffers.ts';
import { learnedArrays } from './live-role.ts';
import { cannotResume } from './refusals.ts';
import type { Roles } from './roles.ts';
import type { Session } from './session.ts';

const PackedTables = z.record(z.string(), z.record(z.string(), z.unknown()));
/**
 * Version of the saved state, increased when an earlier one can no longer be read; the first versions wrote
 * none.
 */
const STATE_VERSION = 1;
const SavedState = z.object({
  version: z.literal(STATE_VERSION).optional(),
  step: z.int().min(0),
  units: z.int().min(0),
  skippedInRow: z.int().min(0),
  roles: z.record(
    z.string(),
    z.object({
      draws: z.int().min(0),
      updates: z.int().min(0),
      memory: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  buffers: PackedTables,
  turnRows: PackedTables.default({}),
  control: z.record(z.string(), z.unknown()).default({}),
  scorers: z.record(z.string(), z.unknown()).default({}),
  lengthFit: z.object({ intercept: z.number(), slope: z.number() }).optional(),
  reading: JudgeOutput.optional(),
});
type SavedState = z.output<typeof SavedState>;

/** The training state of a checkpoint. Throws `conflict` if another version of the app wrote it. */
const stateOf = ({ state }: Checkpoint, folder: string): SavedState => {
  const read = SavedState.safeParse(state);
  if (read.success) return read.data;
  throw cannotResume(
    'this version of the app cannot read its training state',
    `${folder}: state.json${read.error.issues[0]?.path.map((key) => `.${String(key)}`).join('') ?? ''}`,
  );
};

/** The checkpoint to resume from, if any, with its training state. */
export const readSaved = async (
  { resumeFrom }: Pick<StartRun, 'resumeFrom'>,
  model: Model,
): Promise<{ readonly saved?: Checkpoint; readonly state?: SavedState }> => {
  if (resumeFrom === undefined) return {};
  const saved = await readCheckpoint(resumeFrom, model.adapter ? model : undefined);
  return { saved, state: stateOf(saved, resumeFrom) };
};

const packed = (tables: ReadonlyMap<string, Table>) =>
  Object.fromEntries([...tables].map(([name, table]) => [name, packTable(table)]));

const unpacked = (tables: SavedState['buffers']) =>
  new Map(Object.entries(tables).map(([name, table]) => [name, unpackTable(table as PackedTable)]));

/** Restores the rows shared between roles. */
export const bufferedRows = ({ buffers, turnRows }: SavedState): BufferedRows => ({
  buffers: unpacked(buffers),
  turnRows: unpacked(turnRows),
});

/** Saves the run's current state under `checkpoints/<attempt>-<step>`. */
export const saveSession = async (session: Session): Promise<SavedCheckpoint> => {
  const { run, task, roles, rewards, clock, device, control } = session;
  const { main, lengthFit } = roles;
  const { judgeOutput, tokenizer } = task;
  const { buffers, turnRows } = roles.buffers.state();
  await device.read(...roles.all.flatMap(learnedArrays));
  const state: z.input<typeof SavedState> = {
    version: STATE_VERSION,
    ...clock.state(),
    roles: roles.counts(),
    buffers: packed(buffers),
    turnRows: packed(turnRows),
    control: control.state(),
    scorers: rewards.state(),
    ...(lengthFit && { lengthFit }),
    ...(judgeOutput && { reading: judgeOutput }),
  };
  // half precision would round small updates away; an untrained model keeps its types
  const model = main.learner && !main.model.adapter ? inType(main.model, 'F32') : main.model;
  return writeCheckpoint(join(run.outDir, 'checkpoints', `${run.attempt}-${clock.step}`), {
    model,
    tokenizer,
    state,
    optimizer: optimizerArrays(roles),
  });
};

/**
 * Optimizer arrays by `<role>/<array>`, the parameters of roles that train besides the main one, and snapshots. The
 * models of frozen roles are opened from their sources again.
 */
const optimizerArrays = ({ all, main, snapshots }: Roles): Record<string, Float32Array> => ({
  ...snapshots.arrays(),
  ...Object.fromEntries(
    all.flatMap((role) => [
      ...Object.entries(role.learner?.state ?? {}).map(([key, values]): [string, Float32Array] => [
        `${role.name}/${key}`,
        values,
      ]),
      ...(role === main || !role.role.objective
        ? []
        : [[`${role.name}/parameters`, role.trained.flat] as const]),
    ]),
  ),
});
