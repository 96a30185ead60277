/** An open run: its task, models, scorers and progress. */
import type { Device } from '../../runtime/index.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { Decoding } from '../compute/decoding.ts';
import type { Control } from '../kernel/control.ts';
import type { Clock } from './clock.ts';
import type { Rewards } from './rewards.ts';
import type { Roles } from './roles.ts';
import type { Task } from './task.ts';

export interface Session {
  /** The run's name, input files and output folder; the task holds its specification. */
  readonly run: Omit<StartRun, 'spec'>;
  readonly task: Task;
  readonly roles: Roles;
  readonly rewards: Rewards;
  readonly clock: Clock;
  readonly device: Device;
  readonly control: Control;
  /** Filters, grammar and guide of its samples and evaluations; absent without any. */
  readonly decoding?: Decoding;
}
