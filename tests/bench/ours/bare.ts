/**
 * The minimum work of generating answers: each token's products with packed weights and, optionally,
 * attention to earlier tokens. No better graph and no faster host could leave these out.
 */
import { stream } from '../../../engine/random/random.ts';
import type { Device, Program } from '../../../engine/runtime/index.ts';
import { add, cachedAttention, input, matmul, slice, type Expr } from '../../../engine/tensor/index.ts';
import { promptTokens, type Size } from '../sizes.ts';

/** Rows and positions that the graph is built with: numbers that no axis of a model has. */
const example = { B: 61, P: 67 };
const float32 = (...shape: number[]) => ({ dtype: 'float32' as const, shape });

/** Computes the products of all prompts, then one token per row until each has as many as `lengths` says. */
export type BareWriting = (lengths: readonly number[]) => Promise<void>;

const weightShapes = ({
  width,
  layers,
  vocabulary,
}: Size): (readonly [name: string, from: number, to: number])[] => [
  ...Array.from(
    { length: layers },
    (_, l) =>
      [
        [`${l}/joint`, width, 3 * width],
        [`${l}/out`, width, width],
        [`${l}/up`, width, 4 * width],
        [`${l}/down`, 4 * width, width],
      ] as const,
  ).flat(),
  ['head', width, vocabulary],
];

/** Tokens per run, which makes the fixed cost of a run negligible. */
const CHAINED = 8;

const graphOf = ({ width, layers, heads, vocabulary }: Size, attention: boolean, tokens: number) => {
  const { B, P } = example;
  const axes: Record<string, (string | null)[]> = { x: ['B', null], last: ['B'], y: ['B', null] };
  const inPlace: Record<string, string> = {};
  const outputs: Record<string, Expr> = {};
  const size = width / heads;
  const by = (x: Expr, name: string, to: number) => matmul(x, input(name, float32(x.type.shape[1], to)));
  const latest = new Map<string, Expr>();
  const cached = (name: string) => {
    axes[name] = ['B', null, 'P', null];
    return latest.get(name) ?? input(name, float32(B, heads, P, size));
  };
  const keep = (name: string, token: number, value: Expr) => {
    const output = `new ${name} ${token}`;
    axes[output] = ['B', null, 'P', null];
    inPlace[output] = name;
    outputs[output] = value;
    latest.set(name, value);
  };
  const [last, total] = ['last', 'total'].map((name) =>
    input(name, { dtype: 'int32', shape: [name === 'last' ? B : 1] }),
  );
  let x = input('x', float32(B, width));
  for (let token = 0; token < tokens; token++) {
    const at = token === 0 ? { last, total } : { last: add(last, token), total: add(total, token) };
    for (let l = 0; l < layers; l++) {
      let read = by(x, `${l}/joint`, 3 * width);
      if (attention) {
        const joined = cachedAttention(
          [read],
          { keys: cached(`keys ${l}`), values: cached(`values ${l}`) },
          at,
          { tokens: 1, heads, kvHeads: heads, scale: 1 / Math.sqrt(size), cap: null, window: null },
        );
        keep(`keys ${l}`, token, joined.keys);
        keep(`values ${l}`, token, joined.values);
        read = joined.read;
      } else read = slice(read, 1, 0, width);
      x = by(by(by(read, `${l}/out`, width), `${l}/up`, 4 * width), `${l}/down`, width);
    }
    // no vocabulary is smaller than a model's width
    x = slice(by(x, 'head', vocabulary), 1, 0, width);
  }
  return { outputs: { y: slice(x, 1, 0, 1), ...outputs }, inPlace, axes };
};

export const openBare = async (device: Device, size: Size, attention: boolean): Promise<BareWriting> => {
  const { width, layers } = size;
  const places = (7 * size.context) / 8 + CHAINED;
  // scaled so that activations keep their size
  const constants = Object.fromEntries(
    weightShapes(size).map(([name, from, to]) => {
      const draw = stream(1, name);
      return [
        name,
        Float32Array.from({ length: from * to }, () => (draw.next() - 0.5) * Math.sqrt(12 / from)),
      ];
    }),
  );
  const compiled = (read: boolean, tokens: number): Promise<Program> =>
    device.compile({ name: 'bare', ...graphOf(size, read, tokens), constants });
  const reading = await compiled(false, 1);
  const program = await compiled(attention, CHAINED);
  const caches = new Map<string, Float32Array>();
  return async (lengths) => {
    const left = [...lengths].sort((a, b) => b - a);
    const most = left.length;
    const x = new Float32Array(most * width).fill(1);
    const cache = (name: string): Float32Array => {
      const known = caches.get(name);
      if (known && known.length === most * places * width) return known;
      const made = new Float32Array(most * places * width);
      caches.set(name, made);
      return made;
    };
    const prompts = most * (promptTokens(size) - 1);
    await reading.run({ x: new Float32Array(prompts * width).fill(1) }, { B: prompts });
    for (let made = 0, B = most; B > 0; made += CHAINED) {
      const at = promptTokens(size) - 1 + made;
      const held = attention
        ? Array.from({ length: layers }, (_, l) => [`keys ${l}`, `values ${l}`]).flat()
        : [];
      await program.run(
        {
          x: x.subarray(0, B * width),
          ...Object.fromEntries(held.map((name) => [name, cache(name).subarray(0, B * places * width)])),
          ...(attention && { last: new Int32Array(B).fill(at), total: Int32Array.of(at + 1) }),
        },
        { B, P: places },
      );
      // a row with fewer tokens left than half a run counts as done
      while (B > 0 && left[B - 1] < made + 1.5 * CHAINED) B--;
    }
  };
};
