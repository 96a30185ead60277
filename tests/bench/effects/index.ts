import type { Effect } from './effect.ts';
import { hypoCoverage } from './hypo-coverage.ts';
import { parGold } from './par-gold.ts';

/** Every tested effect. A new one is its file and one line here. */
export const effects: readonly Effect[] = [parGold, hypoCoverage];
