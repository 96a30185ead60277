/** A running role: its model, stages and optimizer. */
import type { Model } from '../../models/model.ts';
import type { ParameterSet } from '../../models/parameters.ts';
import type { Device } from '../../runtime/index.ts';
import type { SamplingSpec } from '../../schema/run-spec.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { LiveModel } from '../compute/live-model.ts';
import type { Updater } from '../compute/updater.ts';
import { samplesRows, type Role } from '../kernel/recipe.ts';
import type { Stage } from '../kernel/stage.ts';

/** A model for sampling, its live form for log-probabilities, and its tokenizer. */
export interface RoleModel {
  readonly live: LiveModel;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
}

export interface LiveRole extends RoleModel {
  readonly name: string;
  readonly role: Role;
  /** Its initial model, if that is not the policy's; needed only if it trains. */
  readonly initial?: RoleModel;
  /** Its own sampling settings, or the run's. */
  readonly sampling: SamplingSpec;
  readonly stages: readonly Stage[];
  /** The trained parameters. */
  readonly trained: ParameterSet;
  readonly learner?: Updater;
  /** Temperature of its log-probabilities: the sampling temperature for a role that samples, else 1. */
  readonly temperature: number;
  /** Initial parameters of every batch, for a role that restarts. */
  readonly start?: Float32Array;
  /** State that its stages keep, by stage. */
  memory: ReadonlyMap<string, unknown>;
  /** Number of batches drawn. */
  draws: number;
  /** Number of updates. */
  updates: number;
}

/** True if the role samples rows from its own model. */
export const samples = ({ role }: Pick<LiveRole, 'role'>): boolean => samplesRows(role);

/** The arrays changed by updates: parameters and optimizer state. */
export const learnedArrays = ({
  trained,
  learner,
}: Pick<LiveRole, 'trained' | 'learner'>): Float32Array[] => [
  trained.flat,
  ...Object.values(learner?.state ?? {}),
];

/** Resets a role that restarts to its initial parameters and a fresh optimizer. */
export const restart = async (role: LiveRole, device: Device): Promise<void> => {
  if (!role.start) return;
  await device.read(...learnedArrays(role));
  role.trained.flat.set(role.start);
  role.learner?.forget();
  device.changed(...learnedArrays(role));
};
