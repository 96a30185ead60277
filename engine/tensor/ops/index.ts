import type { OpBuilder } from '../expr.ts';
import { arithmeticOps } from './arithmetic.ts';
import { cachedAttentionOps } from './cached-attention.ts';
import { indexingOps } from './indexing.ts';
import { joiningOps } from './joining.ts';
import { logicOps } from './logic.ts';
import { loopOps, loopStructuralOps } from './loop.ts';
import { markOps } from './marks.ts';
import { matmulOps } from './matmul.ts';
import { movementOps } from './movement.ts';
import { nonlinearOps } from './nonlinear.ts';
import { normalizeOps } from './normalize.ts';
import { pickingOps } from './picking.ts';
import { quantizedOps } from './quantized.ts';
import { reduceOps } from './reduce.ts';
import { rmsNormOps } from './rms-norm.ts';
import { rotaryOps } from './rotary.ts';
import { sourceOps, structuralOps } from './source.ts';
import { vocabularyOps } from './vocabulary.ts';

/**
 * Every op. The contract test `every-op` takes its cases from here; a new op is its definition plus one
 * entry in its family's list.
 */
export const ops: readonly OpBuilder<never>[] = [
  ...sourceOps,
  ...arithmeticOps,
  ...logicOps,
  ...markOps,
  ...movementOps,
  ...joiningOps,
  ...reduceOps,
  ...nonlinearOps,
  ...matmulOps,
  ...normalizeOps,
  ...indexingOps,
  ...pickingOps,
  ...rmsNormOps,
  ...rotaryOps,
  ...vocabularyOps,
  ...quantizedOps,
  ...cachedAttentionOps,
] as unknown as readonly OpBuilder<never>[];

/**
 * Ops without cases of their own: they represent values from elsewhere, or contain a graph, and have
 * separate tests.
 */
export const uncasedOps: readonly OpBuilder<never>[] = [
  ...structuralOps,
  ...loopStructuralOps,
  ...loopOps,
] as unknown as readonly OpBuilder<never>[];
