import { rebuild, topological, type Expr } from '../expr.ts';
import { bodyOf, withBody } from '../ops/loop.ts';

/** Facts about the rewritten graph that a rule may query. */
export interface Use {
  /**
   * True if a value is made in this graph and read only once, so that a rule may fold it into its reader
   * without computing it twice.
   */
  once(x: Expr): boolean;
}

/**
 * Returns a replacement for a node whose inputs are already rewritten, or undefined if the rule does not
 * apply.
 */
export type Rule = (node: Expr, use: Use) => Expr | undefined;

/**
 * Rewrites a graph from the inputs up, bodies of loops included; the rule is applied to its own results
 * until it returns undefined.
 */
export const rewrite = (
  roots: readonly Expr[],
  rule: Rule,
  leaves: ReadonlySet<Expr> = new Set(),
): Expr[] => {
  const order = topological(roots, leaves);
  const uses = new Map<Expr, number>();
  const count = (x: Expr, by: number) => uses.set(x, (uses.get(x) ?? 0) + by);
  for (const node of order) if (!leaves.has(node)) for (const x of node.inputs) count(x, 1);
  for (const root of roots) count(root, 1);
  const use: Use = { once: (x) => !leaves.has(x) && (uses.get(x) ?? 0) <= 1 };
  const made = new Map<Expr, Expr>();
  for (const node of order) {
    if (leaves.has(node)) {
      made.set(node, node);
      continue;
    }
    let current = rewriteBody(
      rebuild(
        node,
        node.inputs.map((x) => made.get(x)!),
      ),
      rule,
    );
    if (current !== node) count(current, uses.get(node) ?? 0);
    for (let next = rule(current, use); next && next !== current; next = rule(current, use)) {
      count(next, uses.get(node) ?? 0);
      current = next;
    }
    made.set(node, current);
  }
  return roots.map((root) => made.get(root)!);
};

const rewriteBody = (node: Expr, rule: Rule): Expr => {
  const body = bodyOf(node);
  return body ? withBody(node, rewrite(body.results, rule, new Set(body.captured))) : node;
};
