import { jsonLines } from './json-lines.ts';
import type { LogReader } from './reader.ts';
import { tensorboard } from './tensorboard.ts';
import { trackio } from './trackio.ts';
import { trainerState } from './trainer-state.ts';
import { verlConsole } from './verl-console.ts';
import { wandb } from './wandb.ts';

/** The readers, by an id; a file is the first one's that finds a run in it. */
export const readers: { readonly [id: string]: LogReader } = {
  tensorboard,
  wandb,
  trackio,
  trainerState,
  jsonLines,
  verlConsole,
};
