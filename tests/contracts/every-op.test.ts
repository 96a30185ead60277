/** The contract of an op: the runtime computes the same values as `eval`, and `vjp` gives their gradient. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openDevice, type Device, type Values } from '../../engine/runtime/index.ts';
import type { Case, Expr, OpBuilder } from '../../engine/tensor/expr.ts';
import { add, evaluate, grad, input, mul, square, sum } from '../../engine/tensor/index.ts';
import { ops, uncasedOps } from '../../engine/tensor/ops/index.ts';
import { outputOf } from '../../engine/tensor/ops/source.ts';
import { sameShape, type DType } from '../../engine/tensor/types.ts';
import { centralDifferences, drawn, randomFloats, worstError } from '../support/tensors.ts';

type AnyCase = Case<never>;
type Feed = Record<string, Float32Array | Int32Array | Uint8Array>;
interface Built {
  readonly label: string;
  readonly feeds: Feed;
  readonly inputs: readonly Expr[];
  readonly outputs: readonly Expr[];
  readonly tolerance: number;
  readonly losses: readonly Expr[];
  readonly wrt: readonly Expr[];
}

const kindOf = (c: AnyCase, at: number): DType => {
  const kind = c.kinds?.[at];
  return typeof kind === 'string' ? kind : kind ? 'int32' : 'float32';
};

/** Σ w·y over the outputs that have a gradient: random weights, so that no error cancels. */
const weighed = (outputs: readonly Expr[], feeds: Feed, prefix: string): Expr | undefined =>
  outputs
    .filter((y) => y.type.dtype === 'float32')
    .map((y, at) => {
      const name = `${prefix}_w${at}`;
      feeds[name] = randomFloats(977 + at, y.type.shape);
      return sum(mul(y, input(name, y.type)));
    })
    .reduce<Expr | undefined>((total, x) => (total ? add(total, x) : x), undefined);

const build = (op: OpBuilder<never>, c: AnyCase, index: number): Built => {
  const prefix = `c${index}`;
  const feeds: Feed = {};
  const inputs = c.shapes.map((shape, at) => {
    feeds[`${prefix}_x${at}`] = drawn(c, at, 100 * index + at + 1);
    return input(`${prefix}_x${at}`, { dtype: kindOf(c, at), shape });
  });
  const apply = (xs: readonly Expr[]) => {
    const node = op(xs, c.attrs);
    return node.outputs.map((_, at) => outputOf(node, at));
  };
  const outputs = apply(inputs);
  const wrt = op.definition.vjp === 'none' ? [] : inputs.filter((x) => x.type.dtype === 'float32');
  const through = (all: readonly Expr[]) => all.filter((_, at) => c.through?.includes(at) ?? true);
  const once = weighed(through(outputs), feeds, prefix);
  const losses =
    once && wrt.length > 0
      ? [
          once,
          add(
            once,
            wrt.map((x) => sum(square(x))).reduce((a, b) => add(a, b)),
          ),
        ]
      : [];
  // Passes the same tensor in every float operand, if the op takes operands of one shape.
  if (once && wrt.length > 1 && wrt.every((x) => sameShape(x.type.shape, wrt[0].type.shape))) {
    losses.push(
      weighed(through(apply(inputs.map((x) => (x.type.dtype === 'float32' ? wrt[0] : x)))), feeds, prefix)!,
    );
  }
  return {
    label: `case ${index} ${JSON.stringify(c.shapes)}`,
    feeds,
    inputs,
    outputs,
    tolerance: c.tolerance ?? 2e-6,
    losses,
    wrt,
  };
};

const numbers = (values: Values): Float64Array =>
  Float64Array.from(values as ArrayLike<number | bigint>, Number);

describe.each(ops.map((op) => [op.definition.name, op] as const))('%s', (_, op) => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice({ id: 'cpu', threads: 1 });
  });

  it('has cases', () => expect(op.definition.cases.length).toBeGreaterThan(0));

  it('computes the values of `eval`, and their gradient', async () => {
    const built = op.definition.cases.map((c, at) => build(op, c, at));
    const wanted: Record<string, Expr> = {};
    built.forEach(({ outputs, losses, wrt }, at) => {
      outputs.forEach((y, k) => {
        wanted[`y${at}_${k}`] = y;
      });
      losses.forEach((loss, l) =>
        grad(loss, wrt).forEach((g, k) => {
          wanted[`g${at}_${l}_${k}`] = g;
        }),
      );
    });
    const program = await device.compile({ name: op.definition.name, outputs: wanted });
    const feeds: Feed = Object.fromEntries(
      built.flatMap(({ feeds: own }) => Object.entries(own)).filter(([name]) => name in program.inputs),
    );
    const results = await program.run(feeds);
    for (const [at, { label, feeds: own, outputs, tolerance, losses, wrt }] of built.entries()) {
      evaluate(outputs, own).forEach((expected, k) => {
        expect(
          worstError(numbers(results[`y${at}_${k}`]), expected.data),
          `${label}, value ${k}`,
        ).toBeLessThanOrEqual(tolerance);
      });
      losses.forEach((loss, l) =>
        wrt.forEach((x, k) => {
          const name = (x.attrs as { name: string }).name;
          const slope = centralDifferences(
            (moved) => evaluate([loss], { ...own, [name]: moved })[0].data[0],
            own[name] as Float32Array,
          );
          expect(
            worstError(numbers(results[`g${at}_${l}_${k}`]), slope),
            `${label}, loss ${l}, gradient by input ${k}`,
          ).toBeLessThanOrEqual(3e-5);
        }),
      );
    }
  });
});

it('every op is listed once, and only ops that represent another value have no cases', () => {
  const names = [...ops, ...uncasedOps].map((op) => op.definition.name);
  expect(new Set(names).size).toBe(names.length);
  expect(uncasedOps.map((op) => op.definition.name)).toEqual(['input', 'output', 'loopParameter', 'loop']);
});
