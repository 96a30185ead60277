/** Angles of rotary position embeddings (arXiv:2104.09864), with the known scaling methods. */
import {
  broadcastTo,
  cast,
  constant,
  cos,
  cumsum,
  iota,
  less,
  mul,
  reshape,
  rotary,
  sin,
  sub,
  type Expr,
} from '../../tensor/index.ts';
import type { RotaryConfig } from '../config.ts';
import type { Place } from './family.ts';

/** Angle per position of each pair of entries of a head of `size`, and the factor of cosines and sines. */
export const rotaryFrequencies = (
  { theta, scaling }: RotaryConfig,
  size: number,
): { frequencies: Float64Array; amplitude: number } => {
  const plain = Float64Array.from({ length: size / 2 }, (_, i) => theta ** ((-2 * i) / size));
  switch (scaling.kind) {
    case 'none':
      return { frequencies: plain, amplitude: 1 };
    case 'linear':
      return { frequencies: plain.map((f) => f / scaling.factor), amplitude: 1 };
    case 'llama3':
      return { frequencies: plain.map((f) => llama3(f, scaling)), amplitude: 1 };
    case 'yarn':
      return { frequencies: yarn(plain, theta, size, scaling), amplitude: scaling.attentionFactor };
  }
};

type Scaling<K extends RotaryConfig['scaling']['kind']> = Extract<RotaryConfig['scaling'], { kind: K }>;

/**
 * Llama 3.1 scaling: long wavelengths are slowed down by the factor, short ones kept, those between blended.
 */
const llama3 = (
  frequency: number,
  { factor, lowFrequencyFactor: low, highFrequencyFactor: high, trainedContext }: Scaling<'llama3'>,
): number => {
  const turns = (trainedContext * frequency) / (2 * Math.PI);
  const share = Math.min(1, Math.max(0, (turns - low) / (high - low)));
  return ((1 - share) * frequency) / factor + share * frequency;
};

/**
 * YaRN (arXiv:2309.00071, section 3.2): a ramp over the entries between those that rotate `betaFast` and
 * `betaSlow` times within the trained context.
 */
const yarn = (
  plain: Float64Array,
  theta: number,
  size: number,
  { factor, trainedContext, betaFast, betaSlow, truncate }: Scaling<'yarn'>,
): Float64Array => {
  const entryOf = (turns: number) =>
    (size * Math.log(trainedContext / (turns * 2 * Math.PI))) / (2 * Math.log(theta));
  const [first, last] = truncate
    ? [Math.floor(entryOf(betaFast)), Math.ceil(entryOf(betaSlow))]
    : [entryOf(betaFast), entryOf(betaSlow)];
  const from = Math.max(first, 0);
  const to = Math.min(last, size - 1);
  const span = from === to ? 0.001 : to - from;
  return plain.map((f, i) => {
    const slowed = Math.min(1, Math.max(0, (i - from) / span));
    return (slowed * f) / factor + (1 - slowed) * f;
  });
};

/** Rotates queries or keys of a pass, [N, heads·size], by their positions. */
export const rotateBy = (config: RotaryConfig, size: number, place: Place): ((x: Expr) => Expr) => {
  const { frequencies, amplitude } = rotaryFrequencies(config, size);
  const half = size / 2;
  const sequences = place.kind === 'sequences';
  const positions = sequences ? iota(place.T) : place.positions;
  const rows = positions.type.shape[0];
  const angles = mul(
    reshape(cast(positions, 'float32'), [rows, 1]),
    constant(frequencies, { dtype: 'float32', shape: [1, half] }),
  );
  const scaled = (x: Expr) => (amplitude === 1 ? x : mul(x, amplitude));
  const [cosines, sines] = [scaled(cos(angles)), scaled(sin(angles))];
  // Sequences share the table's rows; single tokens have one row each.
  const [B, T] = sequences ? [place.B, place.T] : [rows, 1];
  // Built at run time if the number of tokens is dynamic: 0, 1, … up to the number of positions.
  const at = sequences
    ? broadcastTo(reshape(cast(iota(T), 'int64'), [1, T]), [B, T])
    : reshape(cast(sub(cumsum(cast(less(-1, positions), 'float32'), 0), 1), 'int64'), [B, 1]);
  return (x) => reshape(rotary(reshape(x, [B, T, x.type.shape[1]]), cosines, sines, at), x.type.shape);
};
