import * as z from 'zod';
import { correctness } from './correctness.ts';
import type { LabelMode } from './mode.ts';
import { pair } from './pair.ts';
import { ranking } from './ranking.ts';
import { rating } from './rating.ts';
import { rewrite } from './rewrite.ts';
import { spans } from './spans.ts';

export type { ImpliedPair, LabelMode } from './mode.ts';
export { Correctness } from './correctness.ts';
export { meanRating } from './rating.ts';
export { Span, spansOf } from './spans.ts';
export * from '../../common/answer-steps.ts';
export * from './options.ts';

/** All modes of labeling. */
export const labelModes: readonly LabelMode[] = [pair, ranking, rating, rewrite, correctness, spans];
export const labelMode = (id: string): LabelMode => labelModes.find((mode) => mode.id === id) ?? pair;

export const ModeId = z.enum(['pair', 'ranking', 'rating', 'rewrite', 'correctness', 'spans']);
export type ModeId = z.infer<typeof ModeId>;
