import type { Reward } from '../reward.ts';
import { choice } from './choice.ts';
import { exact } from './exact.ts';
import { jsonSchema } from './json-schema.ts';
import { normalised } from './normalised.ts';
import { numeric } from './numeric.ts';
import { pattern } from './pattern.ts';
import { unitTest } from './unit-test.ts';

/** Verifiers that compare an answer with its problem's reference. A new one is its file and one line here. */
export const verifiers: readonly Reward[] = [
  numeric,
  normalised,
  exact,
  choice,
  pattern,
  jsonSchema,
  unitTest,
];
