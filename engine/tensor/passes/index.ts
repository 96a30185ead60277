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
 * A graph that computes the same with less work. Names and types of the outputs stay. Dead code goes by
 * itself: only what outputs reach is lowered.
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
