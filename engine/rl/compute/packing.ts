/**
 * Packs rows of unequal length into padded micro-batches of few different shapes, so that few graphs are
 * compiled and padding stays small.
 */
import type { PrefixGroups } from '../../models/forward.ts';
import type { PerToken, TokenValues } from '../kernel/columns.ts';
import { observedRow } from '../kernel/rows.ts';

/**
 * A padded micro-batch: these rows of the batch in this order, padded to `R` rows of `T` tokens; −1 marks a
 * padding row. With `shared`, consecutive groups share their first `prefix` tokens, and log-probabilities
 * are valid only from token `prefix` + 1 on.
 */
export interface MicroBatch {
  readonly rows: Int32Array;
  readonly R: number;
  readonly T: number;
  readonly shared?: PrefixGroups;
}

/**
 * Shared prompt prefixes, per row: the number of tokens before the first one whose log-probability is needed
 * (at least the last one is needed), and an id that rows with equal prefixes have in common.
 */
export interface SharedPrefixes {
  readonly prefixLength_R: Uint32Array;
  readonly prefixId_R: Uint32Array;
}

export interface PackingLimits {
  /** Rows that must stay adjacent: 1, 2 for pairs, 3 for triples. */
  readonly unit: number;
  /** Bound on the computed tokens: R × T, fewer with shared prefixes. */
  readonly tokens: number;
  /** Longest sequence of the model: bounds T. */
  readonly context: number;
  /** T is a multiple of this; 8 by default. */
  readonly multiple?: number;
  /** If given, rows with equal prefixes may share their computation. */
  readonly prefixes?: SharedPrefixes;
}

const ROUND = 8;
/** Fixed cost of one more micro-batch, in tokens. Measured on small models, where it matters. */
const OVERHEAD = 256;
/** Smallest group of rows to split off: every shape is a graph to be compiled. */
const LEAST_ROWS = 8;

/**
 * Prefixes are shared only if at most this part of the cost is left: splitting and joining takes some 3 %,
 * and there are more shapes.
 */
const WORTH = 0.9;

const powersUpTo = (n: number): number[] => {
  const powers: number[] = [];
  for (let power = 1; power < 2 * n; power *= 2) powers.push(power);
  return powers;
};

/** Adjacent rows: the longest one's length, and their common prefix. */
interface Block {
  readonly rows: readonly number[];
  readonly length: number;
  readonly prefixLength: number;
}

/**
 * Tokens computed once for rows with this prefix: all but its last one, which predicts the first needed
 * token. Including that one they are a multiple of 8, and of a quarter of the power of two below, so that
 * few values occur.
 */
const prefixOf = (prefixLength: number): number => {
  const step = Math.max(ROUND, 2 ** (Math.floor(Math.log2(prefixLength)) - 2));
  return Math.max(0, Math.floor(prefixLength / step) * step - 1);
};

interface Cuts {
  readonly cost: number;
  readonly batches: readonly MicroBatch[];
}

/**
 * Sorts blocks by length, longest first, and splits them where the computed tokens, padding included, are
 * fewest (dynamic programming over the sorted blocks). T is rounded up to a `multiple`, the number of
 * blocks to a power of two. Blocks of the same lengths are always split the same way.
 */
const packBlocks = (
  unsorted: readonly Block[],
  { unit, tokens, context, multiple = ROUND }: PackingLimits,
): Cuts => {
  const blocks = unsorted.toSorted((a, b) => b.length - a.length || a.rows[0] - b.rows[0]);
  const group = blocks[0].rows.length;
  const sizes = powersUpTo(blocks.length);
  const lengthFrom = (at: number) =>
    Math.min(context, Math.max(multiple, Math.ceil(blocks[at].length / multiple) * multiple));
  /** The micro-batch of `count` blocks from `at` on: its length, shared prefix, and computed tokens. */
  const microBatchAt = (at: number, count: number): { T: number; prefix: number; computed: number } => {
    let prefixLength = Infinity;
    for (let i = at; i < Math.min(at + count, blocks.length); i++)
      prefixLength = Math.min(prefixLength, blocks[i].prefixLength);
    const T = lengthFrom(at);
    const prefix = prefixOf(prefixLength);
    return {
      T,
      prefix,
      computed: prefix === 0 ? count * group * T : count * (prefix + group * (T - 1 - prefix)),
    };
  };
  const fits = (at: number, count: number) =>
    count * group === unit || microBatchAt(at, count).computed <= tokens;
  const enough = sizes.find((count) => count * group >= LEAST_ROWS) ?? LEAST_ROWS / group;
  // best[at]: the cheapest split of the blocks from `at` on, and the size of its first micro-batch
  const best = blocks.map(() => ({ cost: Infinity, count: 0 }));
  for (let at = blocks.length - 1; at >= 0; at--) {
    for (const count of sizes) {
      if (!fits(at, count)) break;
      if (count < enough && count < blocks.length - at && fits(at, enough)) continue;
      const cost = microBatchAt(at, count).computed + OVERHEAD + (best[at + count]?.cost ?? 0);
      if (cost < best[at].cost) best[at] = { cost, count };
    }
  }
  const batches: MicroBatch[] = [];
  if (best[0].cost === Infinity) return { cost: Infinity, batches };
  for (let at = 0; at < blocks.length; at += best[at].count) {
    const { count } = best[at];
    const { T, prefix } = microBatchAt(at, count);
    const rows = Int32Array.from(blocks.slice(at, at + count).flatMap((block) => block.rows));
    batches.push({ rows, R: count * group, T, ...(prefix > 0 && { shared: { group, prefix } }) });
  }
  return { cost: best[0].cost, batches };
};

/** Units in their order, without shared prefixes. */
export const unitsOf = (lengths_R: ArrayLike<number>, unit: number): Block[] =>
  Array.from({ length: lengths_R.length / unit }, (_, u) => {
    const rows = Array.from({ length: unit }, (_x, i) => u * unit + i);
    return { rows, length: Math.max(...rows.map((r) => lengths_R[r])), prefixLength: 0 };
  });

/**
 * Units with equal prefixes, grouped in blocks of `size` units: longest first, so that rows of similar
 * length are adjacent, with padding rows in unused places.
 */
const blocksOf = (groups: readonly (readonly Block[])[], size: number): Block[] =>
  groups.flatMap((units) =>
    Array.from({ length: Math.ceil(units.length / size) }, (_, at): Block => {
      const own = units.slice(at * size, (at + 1) * size);
      const rows = own.flatMap((unit) => unit.rows);
      return {
        rows: [...rows, ...new Array<number>(size * own[0].rows.length - rows.length).fill(-1)],
        length: own[0].length,
        prefixLength: own[0].prefixLength,
      };
    }),
  );

/** Units by their prefix; empty if a unit's rows have different prefixes, or no prefix is long enough. */
const groupsOf = (units: readonly Block[], { prefixLength_R, prefixId_R }: SharedPrefixes): Block[][] => {
  const groups = new Map<number, Block[]>();
  for (const { rows, length } of units) {
    const same = prefixId_R[rows[0]];
    const group = groups.get(same);
    if (rows.some((r) => prefixId_R[r] !== same)) return [];
    const unit = { rows, length, prefixLength: prefixLength_R[rows[0]] };
    if (group) group.push(unit);
    else groups.set(same, [unit]);
  }
  const found = [...groups.values()];
  return found.some((group) => prefixOf(group[0].prefixLength) > 0)
    ? found.map((group) => group.sort((a, b) => b.length - a.length || a.rows[0] - b.rows[0]))
    : [];
};

/**
 * Packs rows into micro-batches with the fewest computed tokens: separately, or with common prefixes
 * computed once for as many rows as pays. Sharing keeps rows of unequal length together; a group is
 * therefore also tried in halves, quarters and so on.
 */
export const packRows = (lengths_R: ArrayLike<number>, cutting: PackingLimits): readonly MicroBatch[] => {
  if (lengths_R.length === 0) return [];
  const units = unitsOf(lengths_R, cutting.unit);
  const groups = cutting.prefixes ? groupsOf(units, cutting.prefixes) : [];
  const { batches, cost } = packBlocks(units, cutting);
  let best = { batches, cost: WORTH * cost };
  for (
    let size = Math.max(0, ...groups.map((group) => group.length));
    size * cutting.unit > 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    const made = packBlocks(blocksOf(groups, size), cutting);
    if (made.cost < best.cost) best = made;
  }
  return best.batches;
};

/** Key of a micro-batch's shape: shapes with different keys compile different graphs. */
export const shapeOf = ({ R, T, shared }: MicroBatch): string =>
  `${R}x${T}${shared ? ` ${shared.group} share ${shared.prefix}` : ''}`;

/** Calls back for every real row of a micro-batch with its position; padding rows are skipped. */
export const eachRow = (
  { rows }: Pick<MicroBatch, 'rows'>,
  visit: (row: number, place: number) => void,
): void =>
  rows.forEach((row, place) => {
    if (row >= 0) visit(row, place);
  });

/** The rows of a micro-batch as an array [R, T], padded with zeros. */
export const padded = <V extends Float32Array | Int32Array>(
  column: PerToken<TokenValues>,
  rect: MicroBatch,
  make: new (length: number) => V,
): V => {
  const out = new make(rect.R * rect.T);
  eachRow(rect, (row, r) =>
    out.set(column.values.subarray(column.offsets[row], column.offsets[row + 1]), r * rect.T),
  );
  return out;
};

/**
 * Observations after each token, [R, T, width], padded with zeros; all zeros if the column has none of this
 * width.
 */
export const paddedObserved = (
  column: PerToken<TokenValues>,
  rect: MicroBatch,
  width: number,
): Float32Array => {
  const out = new Float32Array(rect.R * rect.T * width);
  if (column.observed?.width !== width) return out;
  eachRow(rect, (row, r) => out.set(observedRow(column, row), r * rect.T * width));
  return out;
};

/** One number per row, padded with zeros: a padding row has weight 0. */
export const paddedPerRow = (values_R: ArrayLike<number>, rect: MicroBatch): Float32Array => {
  const out = new Float32Array(rect.R);
  eachRow(rect, (row, r) => {
    out[r] = values_R[row];
  });
  return out;
};
