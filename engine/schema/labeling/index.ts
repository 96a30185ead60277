import { z } from 'zod';
import type { LabelMode } from './mode.ts';
import { pair } from './pair.ts';
import { ranking } from './ranking.ts';
import { rating } from './rating.ts';
import { rewrite } from './rewrite.ts';

export type { ImpliedPair, LabelMode } from './mode.ts';
export { meanRating } from './rating.ts';
export * from './options.ts';

/** All modes of labeling. */
export const labelModes: readonly LabelMode[] = [pair, ranking, rating, rewrite];
export const labelMode = (id: string): LabelMode => labelModes.find((mode) => mode.id === id) ?? pair;

export const ModeId = z.enum(['pair', 'ranking', 'rating', 'rewrite']);
export type ModeId = z.infer<typeof ModeId>;
