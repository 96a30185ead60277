/** Every rule of a search, in the order of tables. To add one, write its file and one line here. */
import type { SearchRule } from '../rule.ts';
import { bestOfN } from './best-of-n.ts';
import { borda } from './borda.ts';
import { majority } from './majority.ts';
import { oracle } from './oracle.ts';
import { rerank } from './rerank.ts';
import { rpc, rpcPerToken } from './rpc.ts';
import { weightedVote } from './weighted-vote.ts';

export const searchRules: readonly SearchRule[] = [
  majority,
  weightedVote,
  borda,
  rpc,
  rpcPerToken,
  bestOfN,
  rerank,
  oracle,
];
