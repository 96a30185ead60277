import type { Db } from '../database.ts';
import { staged } from '../database.ts';
import type { Points } from '../series.ts';
import type { Sliced } from '../slices.ts';
import { isAscending, Joining, packed, unpacked, type Buckets } from './grid.ts';

/** Nodes that one node of the next height covers. */
export const fanOut = 16;

/** Points that a bucket of the lowest height has on average. */
const pointsInBucket = 16;

/** Points of a chunk, in order of arrival; `sequence` is the first one's. */
export interface SummarisedChunk extends Points {
  readonly sequence: number;
}

interface NodeRow {
  readonly first_sequence: number;
  readonly last_sequence: number;
  readonly first_step: number;
  readonly last_step: number;
  readonly count: number;
  readonly level: number | null;
  readonly buckets: Buffer | null;
}

/** The level at which points with even distances have 16 in a bucket; even, so that fewer levels occur. */
function levelOf(steps: Float64Array): number {
  const distance = steps.length > 1 ? (steps[steps.length - 1] - steps[0]) / (steps.length - 1) : 1;
  return Math.max(-40, 2 * Math.ceil(Math.log2(pointsInBucket * distance) / 2));
}

/**
 * Writes the node of a chunk that was just stored, and the nodes above that it completes, within the transaction
 * that stores the chunk. Nodes of a height cover the first chunks of an attempt without gaps: after a chunk that
 * has none yet, the chunk is left to `buildLevels`.
 */
export function levelWriter(db: Db): (id: number, chunk: SummarisedChunk) => void {
  const before = db
    .prepare<[number, number, number], number | null>(
      'select max(first_sequence) from metric_chunks where series_id = ? and attempt = ? and first_sequence < ?',
    )
    .pluck();
  const covered = db
    .prepare<[number, number, number], number | null>(
      'select max(first_sequence) from metric_levels where series_id = ? and attempt = ? and height = ?',
    )
    .pluck();
  const insert = insertNode(db);
  const complete = parentWriter(db);

  return (id, { attempt, sequence, steps, at, values }) => {
    const previous = before.get(id, attempt, sequence) ?? null;
    if (previous !== null && (covered.get(id, attempt, 0) ?? -1) < previous) return;
    const level = isAscending(steps) ? levelOf(steps) : null;
    const buckets = level === null ? null : joined([{ steps, at, values }], level);
    insert(id, attempt, 0, {
      first_sequence: sequence,
      last_sequence: sequence,
      first_step: steps.reduce((x, y) => Math.min(x, y)),
      last_step: steps.reduce((x, y) => Math.max(x, y)),
      count: steps.length,
      level,
      buckets: buckets && packed(buckets),
    });
    for (let height = 1; complete(id, attempt, height); height += 1);
  };
}

function insertNode(db: Db): (id: number, attempt: number, height: number, node: NodeRow) => void {
  const insert = db.prepare('insert into metric_levels values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  return (id, attempt, height, node) => {
    insert.run(
      id,
      attempt,
      height,
      node.first_sequence,
      node.last_sequence,
      node.first_step,
      node.last_step,
      node.count,
      node.level,
      node.buckets,
    );
  };
}

/** Writes the next node of a height if the height below has enough nodes; whether it did. */
function parentWriter(db: Db): (id: number, attempt: number, height: number) => boolean {
  const count = db
    .prepare<[number, number, number, number], number>(
      `select count(*) from metric_levels
        where series_id = ? and attempt = ? and height = ? and first_sequence > ?`,
    )
    .pluck();
  const end = db
    .prepare<[number, number, number], number>(
      `select last_sequence from metric_levels where series_id = ? and attempt = ? and height = ?
        order by first_sequence desc limit 1`,
    )
    .pluck();
  const children = db.prepare<[number, number, number, number], NodeRow>(
    `select * from metric_levels where series_id = ? and attempt = ? and height = ? and first_sequence > ?
      order by first_sequence limit ${fanOut}`,
  );
  const insert = insertNode(db);
  return (id, attempt, height) => {
    const after = end.get(id, attempt, height) ?? -1;
    if ((count.get(id, attempt, height - 1, after) ?? 0) < fanOut) return false;
    insert(id, attempt, height, parentOf(children.all(id, attempt, height - 1, after)));
    return true;
  };
}

function parentOf(nodes: readonly NodeRow[]): NodeRow {
  const levels = nodes.map(({ level }) => level);
  const isOrdered =
    levels.every((level) => level !== null) &&
    nodes.every(({ first_step: first }, i) => i === 0 || first > nodes[i - 1].last_step);
  // 16 times the points, so buckets of 16 times the width
  const level = isOrdered ? Math.max(...levels.map(Number)) + Math.log2(fanOut) : null;
  return {
    first_sequence: nodes[0].first_sequence,
    last_sequence: nodes[nodes.length - 1].last_sequence,
    first_step: Math.min(...nodes.map((node) => node.first_step)),
    last_step: Math.max(...nodes.map((node) => node.last_step)),
    count: nodes.reduce((sum, node) => sum + node.count, 0),
    level,
    buckets:
      level === null
        ? null
        : packed(
            joined(
              nodes.flatMap(({ buckets }) => (buckets ? [unpacked(buckets)] : [])),
              level,
            ),
          ),
  };
}

function joined(parts: readonly Parameters<Joining['add']>[0][], level: number): Buckets {
  const joining = new Joining(level, 512);
  for (const part of parts) joining.add(part, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  return joining.done();
}

/**
 * Builds what chunks of earlier versions lack, a chunk at a time. Curves are read correctly meanwhile, from the
 * points themselves.
 */
export function* buildLevels(
  db: Db,
  read: (id: number, attempt: number, sequence: number) => SummarisedChunk,
): Sliced<void> {
  const next = db
    .prepare<[number], number>('select id from metric_series where id > ? order by id limit 1')
    .pluck();
  const missing = db.prepare<[number], { attempt: number; first_sequence: number }>(
    `select c.attempt, c.first_sequence from metric_chunks c where c.series_id = ? and c.first_sequence > coalesce((
      select max(l.first_sequence) from metric_levels l
        where l.series_id = c.series_id and l.attempt = c.attempt and l.height = 0), -1)
      order by c.attempt, c.first_sequence limit 1`,
  );
  const write = levelWriter(db);
  for (let id = next.get(-1); id !== undefined; id = next.get(id)) {
    const series = id;
    for (let chunk = missing.get(series); chunk; chunk = missing.get(series)) {
      const { attempt, first_sequence: sequence } = chunk;
      staged(db, () => write(series, read(series, attempt, sequence)));
      yield;
    }
    yield;
  }
}
