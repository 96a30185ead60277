import type { Method } from '../method.ts';
import { bradleyTerry } from './bradley-terry.ts';
import { dpo } from './dpo.ts';
import { grpo } from './grpo.ts';
import { sample } from './sample.ts';
import { sft } from './sft.ts';

/** Every method there is. A new one is its file and one line here; tests/contracts/every-method finds it. */
export const methods: readonly Method[] = [sft, dpo, grpo, bradleyTerry, sample];
