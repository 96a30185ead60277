/** A run that is open: what it learns, with which models and scorers, and how far it has come. */
import type { Device } from '../../runtime/index.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { Control } from '../kernel/control.ts';
import type { Clock } from './clock.ts';
import type { Rewards } from './rewards.ts';
import type { Roles } from './roles.ts';
import type { Task } from './task.ts';

export interface Session {
  /** The run's name, its files and where it writes; its specification is the task's. */
  readonly run: Omit<StartRun, 'spec'>;
  readonly task: Task;
  readonly roles: Roles;
  readonly rewards: Rewards;
  readonly clock: Clock;
  readonly device: Device;
  readonly control: Control;
}
