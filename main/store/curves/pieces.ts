import type { Db } from '../database.ts';
import { tailExtents } from '../metric-tails.ts';

/** A node of the levels, with the steps that it covers. */
export interface NodePiece {
  readonly kind: 'node';
  readonly attempt: number;
  readonly height: number;
  readonly sequence: number;
  readonly last: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Null if its points are not in the order of their steps. */
  readonly level: number | null;
}
/** A chunk without a node, or the unpacked points of an attempt. */
export interface PlainPiece {
  readonly kind: 'chunk' | 'tail';
  readonly attempt: number;
  readonly sequence: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}
/** A part of a series: its points in storage, with the range of their steps. */
export type Piece = NodePiece | PlainPiece;

/** A part of an answer: a node whose buckets are used, or pieces whose points are read. */
export type Leaf =
  | { readonly kind: 'buckets'; readonly node: NodePiece }
  | { readonly kind: 'points'; readonly pieces: readonly Piece[] };

type Row = {
  readonly attempt: number;
  readonly height: number;
  readonly sequence: number;
  readonly last: number;
  readonly first_step: number;
  readonly last_step: number;
  readonly count: number;
  readonly level: number | null;
};
const columns = 'attempt, first_sequence sequence, first_step, last_step, count';

/** Finds the pieces of a series, from the highest nodes down, without reading points. */
export const pieceFinder = (db: Db) => {
  const attempts = db
    .prepare<{ id: number; after: number }, number | null>(
      `select min(attempt) from (
        select min(attempt) attempt from metric_chunks where series_id = :id and attempt > :after
        union all select min(attempt) from metric_points where series_id = :id and attempt > :after
        union all select min(attempt) from metric_batches where series_id = :id and attempt > :after)`,
    )
    .pluck();
  const highest = db
    .prepare<[number, number], number | null>(
      'select max(height) from metric_levels where series_id = ? and attempt = ?',
    )
    .pluck();
  const nodes = db.prepare<[number, number, number, number, number], Row>(
    `select ${columns}, height, last_sequence last, level from metric_levels
      where series_id = ? and attempt = ? and height = ? and first_sequence > ? and first_sequence <= ?
      order by first_sequence`,
  );
  const chunks = db.prepare<[number, number, number], Row>(
    `select ${columns} from metric_chunks where series_id = ? and attempt = ? and first_sequence > ?
      order by first_sequence`,
  );
  const tail = tailExtents(db);

  const asNode = ({
    attempt,
    height,
    sequence,
    last,
    first_step,
    last_step,
    count,
    level,
  }: Row): NodePiece => ({
    kind: 'node',
    attempt,
    height,
    sequence,
    last,
    from: first_step,
    to: last_step,
    count,
    level,
  });
  const asPlain = (kind: 'chunk', { attempt, sequence, first_step, last_step, count }: Row): PlainPiece => ({
    kind,
    attempt,
    sequence,
    from: first_step,
    to: last_step,
    count,
  });

  return {
    /** The fewest pieces that hold all points of a series. */
    of(id: number): Piece[] {
      const found: Piece[] = [];
      for (
        let attempt = attempts.get({ id, after: -1 });
        attempt != null;
        attempt = attempts.get({ id, after: attempt })
      ) {
        let covered = -1;
        for (let height = highest.get(id, attempt) ?? -1; height >= 0; height -= 1)
          for (const row of nodes.all(id, attempt, height, covered, Number.MAX_SAFE_INTEGER)) {
            found.push(asNode(row));
            covered = row.last;
          }
        for (const row of chunks.all(id, attempt, covered)) found.push(asPlain('chunk', row));
        const rest = tail(id, attempt);
        if (rest) {
          const { sequence, first, last, count } = rest;
          found.push({ kind: 'tail', attempt, sequence, from: first, to: last, count });
        }
      }
      return found;
    },

    /** The nodes that a node of a greater height covers. */
    below: (id: number, { attempt, height, sequence, last }: NodePiece): NodePiece[] =>
      nodes.all(id, attempt, height - 1, sequence - 1, last).map(asNode),
  };
};

/** Pieces of ranges that overlap, directly or through others, in the order of their steps. */
function overlapping(pieces: readonly Piece[]): Piece[][] {
  const groups: Piece[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const piece of pieces.toSorted((x, y) => x.from - y.from)) {
    if (piece.from > end) groups.push([]);
    groups[groups.length - 1].push(piece);
    end = Math.max(end, piece.to);
  }
  return groups;
}

/** Request of a plan: buckets of a level for the points in [from, to], read for the buckets in [first, end). */
export interface Asked {
  readonly level: number;
  readonly from: number;
  readonly to: number;
  readonly first: number;
  readonly end: number;
}

/**
 * Leaves for a window, in the order of their steps. A node's buckets are used if they are fine enough and no
 * other points lie among its steps; those of other attempts may replace some of its own. A node above chunks must
 * also lie inside the window.
 */
export function planned(
  pieces: readonly Piece[],
  asked: Asked,
  below: (node: NodePiece) => readonly NodePiece[],
): Leaf[] {
  const inside = pieces.filter(({ from, to }) => to >= asked.first && from < asked.end);
  return overlapping(inside).flatMap((group): Leaf[] => {
    const [only] = group;
    if (group.length === 1 && isUsable(only, asked)) return [{ kind: 'buckets', node: only }];
    if (!group.some(isHigh)) return [{ kind: 'points', pieces: group }];
    return planned(
      group.flatMap((piece): readonly Piece[] => (isHigh(piece) ? below(piece) : [piece])),
      asked,
      below,
    );
  });
}

const isHigh = (piece: Piece): piece is NodePiece => piece.kind === 'node' && piece.height > 0;
const isUsable = (piece: Piece, { level, from, to }: Asked): piece is NodePiece =>
  piece.kind === 'node' &&
  piece.level !== null &&
  piece.level <= level &&
  (piece.height === 0 || (piece.from >= from && piece.to <= to));
