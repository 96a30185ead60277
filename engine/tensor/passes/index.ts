import type { Expr } from '../expr.ts';
import { verify } from '../verify.ts';
import { fuse } from './fuse.ts';
import { rewrite, type Rule } from './rewrite.ts';
import { simplify } from './simplify.ts';

/** The passes in their order; the graph is verified after each. */
const passes: readonly (readonly [name: string, rule: Rule])[] = [
  ['simplify', simplify],
  ['fuse', fuse],
];

/**
 * Rewrites a graph so that it computes the same with less work. Names and types of the outputs stay. Dead
 * code disappears, since only nodes that outputs need are lowered.
 */
export const optimize = (outputs: Readonly<Record<string, Expr>>): Record<string, Expr> => {
  const names = Object.keys(outputs);
  let roots = names.map((name) => outputs[name]);
  const types = roots.map((x) => x.type);
  verify(roots, 'building');
  for (const [name, rule] of passes) {
    roots = rewrite(roots, rule);
    verify(roots, name, types);
  }
  return Object.fromEntries(names.map((name, at) => [name, roots[at]]));
};
