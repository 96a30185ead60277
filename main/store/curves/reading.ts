import type { Db } from '../database.ts';
import { tailReader } from '../metric-tails.ts';
import { latestPerStep, type Column, type Curve, type Points } from '../series.ts';
import { firstAt, floats, isAscending, Joining, levelFor, unpacked, widened } from './grid.ts';
import { pieceFinder, planned, type Asked, type Leaf, type NodePiece, type Piece } from './pieces.ts';

type ChunkRow = { readonly steps: Buffer; readonly ats: Buffer; readonly vals: Buffer };

/**
 * Reads a curve at the resolution of a window. With at most `most` points in [from, to], these points; with more,
 * buckets of the finest level of which `most` cover the window, whole buckets at both ends included. The answer
 * depends on the series, the window and `most` alone. The latest attempt's last point of a step counts.
 */
export const curveReader = (db: Db) => {
  const finder = pieceFinder(db);
  const pointsOf = pointReader(db);
  const nodeBuckets = db
    .prepare<[number, number, number, number], Buffer>(
      'select buckets from metric_levels where series_id = ? and attempt = ? and height = ? and first_sequence = ?',
    )
    .pluck();

  /** The points of pieces whose ranges may overlap. */
  const merged = (id: number, pieces: readonly Piece[], first: number, end: number): Curve => {
    const parts = pieces
      .toSorted((x, y) => x.attempt - y.attempt || x.sequence - y.sequence)
      .map((piece) => pointsOf(id, piece));
    const [only] = parts;
    if (parts.length === 1 && (isOrdered(pieces[0]) || isAscending(only.steps))) return only;
    return latestPerStep(parts, first, below(end));
  };
  const allPoints = (id: number, leaves: readonly Leaf[], { first, end }: Asked): Curve =>
    appended(
      leaves.map((leaf) => {
        if (leaf.kind === 'points') return merged(id, leaf.pieces, first, end);
        return appended(
          plain(leaf.node, (node) => finder.below(id, node)).map((piece) => merged(id, [piece], first, end)),
        );
      }),
    );
  const joinedLeaves = (id: number, leaves: readonly Leaf[], asked: Asked, most: number): Curve => {
    const joining = new Joining(asked.level, most + 8);
    for (const leaf of leaves)
      if (leaf.kind === 'points')
        joining.add(merged(id, leaf.pieces, asked.first, asked.end), asked.first, asked.end);
      else {
        const { attempt, height, sequence } = leaf.node;
        const blob = nodeBuckets.get(id, attempt, height, sequence);
        if (blob) joining.add(unpacked(blob), asked.first, asked.end);
      }
    return joining.done();
  };

  const read = (id: number, from: number, to: number, most: number): Curve => {
    const pieces = finder.of(id);
    const asked = askedFor(pieces, from, to, most);
    if (!asked) return nothing;
    const leaves = planned(pieces, asked, (node) => finder.below(id, node));
    const known = leaves.reduce((sum, leaf) => sum + inside(leaf, asked), 0);
    if (known > most) return joinedLeaves(id, leaves, asked, most);
    const all = allPoints(id, leaves, asked);
    const exact = cut(all, asked.from, above(asked.to));
    if (exact.steps.length <= most) return exact;
    const joining = new Joining(asked.level, most + 8);
    joining.add(all, asked.first, asked.end);
    return joining.done();
  };
  // one state of the file: the writer may pack the points of a tail between two statements
  return db.transaction(read);
};

const none = new Float64Array();
const nothing: Curve = { steps: none, at: none, values: none };

/** The window within the series, and the level for it; null where the series has no point. */
function askedFor(pieces: readonly Piece[], from: number, to: number, most: number): Asked | null {
  const start = Math.max(from, Math.min(...pieces.map((piece) => piece.from)));
  const last = Math.min(to, Math.max(...pieces.map((piece) => piece.to)));
  if (!(start <= last)) return null;
  const level = levelFor(start, last, most);
  const [first, end] = widened(start, last, level);
  return { level, from: start, to: last, first, end };
}

const isOrdered = (piece: Piece): boolean => piece.kind === 'node' && piece.level !== null;

/** Points of a leaf that are certainly in the window, each of a step of its own. */
function inside(leaf: Leaf, { from, to }: Asked): number {
  const [piece, ...others] = leaf.kind === 'buckets' ? [leaf.node] : leaf.pieces;
  const isWhole = others.length === 0 && isOrdered(piece) && piece.from >= from && piece.to <= to;
  return isWhole ? piece.count : 0;
}

/** The chunks of a node. */
const plain = (node: NodePiece, belowOf: (node: NodePiece) => readonly NodePiece[]): readonly NodePiece[] =>
  node.height === 0 ? [node] : belowOf(node).flatMap((each) => plain(each, belowOf));

/** The next number of float64 above or below a step. */
function neighbour(step: number, direction: 1 | -1): number {
  if (step === 0) return direction * Number.MIN_VALUE;
  const bits = new BigInt64Array(1);
  const number = new Float64Array(bits.buffer);
  number[0] = step;
  bits[0] += step > 0 === direction > 0 ? 1n : -1n;
  return number[0];
}
const above = (step: number): number => neighbour(step, 1);
const below = (step: number): number => neighbour(step, -1);

/** The part of ascending points in [from, end). */
function cut({ steps, at, values }: Curve, from: number, end: number): Curve {
  const [first, last] = [firstAt(steps, from), firstAt(steps, end)];
  return {
    steps: steps.slice(first, last),
    at: at.slice(first, last),
    values: values.slice(first, last),
  };
}

function appended(curves: readonly Curve[]): Curve {
  if (curves.length === 1) return curves[0];
  const total = curves.reduce((sum, { steps }) => sum + steps.length, 0);
  const column = (name: 'steps' | 'at' | 'values'): Column => {
    const all = new Float64Array(total);
    let place = 0;
    for (const curve of curves) {
      all.set(curve[name], place);
      place += curve[name].length;
    }
    return all;
  };
  return { steps: column('steps'), at: column('at'), values: column('values') };
}

/** Reads the points of a piece without nodes above it. */
function pointReader(db: Db): (id: number, piece: Piece) => Points {
  const chunk = db.prepare<[number, number, number], ChunkRow>(
    'select steps, ats, vals from metric_chunks where series_id = ? and attempt = ? and first_sequence = ?',
  );
  const tail = tailReader(db);
  return (id, { kind, attempt, sequence }) => {
    if (kind === 'tail') return tail(id, attempt) ?? { attempt, steps: none, at: none, values: none };
    const row = chunk.get(id, attempt, sequence);
    if (!row) return { attempt, steps: none, at: none, values: none };
    return { attempt, steps: floats(row.steps), at: floats(row.ats), values: floats(row.vals) };
  };
}
