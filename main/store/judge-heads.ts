import type { HeadWeights } from '../../engine/schema/judge.ts';

/** The weights of a head and its ensemble: their width as a float64, then all of them. */
export function storedHead({ weights, ensemble }: HeadWeights): Buffer {
  const all = Float64Array.of(weights.length, ...[weights, ...ensemble].flatMap((each) => [...each]));
  return Buffer.from(all.buffer, all.byteOffset, all.byteLength);
}

export function readHead(stored: Uint8Array): HeadWeights {
  const [width, ...values] = new Float64Array(
    stored.buffer.slice(stored.byteOffset, stored.byteOffset + stored.byteLength),
  );
  const heads = Array.from({ length: width === 0 ? 1 : values.length / width }, (_none, at) =>
    Float64Array.from(values.slice(at * width, (at + 1) * width)),
  );
  const [weights, ...ensemble] = heads;
  return { weights, ensemble };
}
