/** A role at work: its model, its stages, and what it learns with. */
import type { Model } from '../../models/model.ts';
import type { ParameterSet } from '../../models/parameters.ts';
import type { Device } from '../../runtime/index.ts';
import type { LiveModel } from '../compute/live-model.ts';
import type { Updater } from '../compute/updater.ts';
import type { Role } from '../kernel/recipe.ts';
import type { Stage } from '../kernel/stage.ts';

export interface LiveRole {
  readonly name: string;
  readonly role: Role;
  readonly stages: readonly Stage[];
  readonly model: Model;
  /** What of it learning changes. */
  readonly trained: ParameterSet;
  readonly live: LiveModel;
  readonly learner?: Updater;
  /**
   * Temperature of its log-probabilities: a role that samples is its policy at the sampling temperature, any
   * other is at 1.
   */
  readonly temperature: number;
  /** The parameters that a role which restarts begins each batch with. */
  readonly start?: Float32Array;
  /** Batches of rows made. */
  draws: number;
  /** Updates taken. */
  updates: number;
}

/** Whether the role draws its rows from its own model. */
export const samples = ({ role }: Pick<LiveRole, 'role'>): boolean => role.has.includes('behaviorLogp');

/** The arrays that learning changes: parameters, and what the optimizer keeps. */
export const learnedArrays = ({
  trained,
  learner,
}: Pick<LiveRole, 'trained' | 'learner'>): Float32Array[] => [
  trained.flat,
  ...Object.values(learner?.state ?? {}),
];

/** Puts a role that restarts back to where the run began, and its optimizer with it. */
export const restart = async (role: LiveRole, device: Device): Promise<void> => {
  if (!role.start) return;
  await device.read(...learnedArrays(role));
  role.trained.flat.set(role.start);
  role.learner?.forget();
  device.changed(...learnedArrays(role));
};
