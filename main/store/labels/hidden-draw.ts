import { createHmac } from 'node:crypto';
import type { SetOptions } from '../../../engine/schema/labeling/index.ts';
import type { Db } from '../database.ts';

/** A labeler's request for the next items of a set. */
export interface NextRequest {
  readonly setId: string;
  readonly labeler: string;
  readonly options: SetOptions;
  /** Items that the page holds: new ones, gold ones, repeats. */
  readonly after: readonly string[];
  readonly count: number;
}

/** Draws a random number from 0 to 1, always the same for a set, a labeler and a purpose. */
export type Draw = (request: NextRequest, ...about: readonly unknown[]) => number;

export function openDraw(db: Db): Draw {
  const seed = db.prepare<[string], number>('select seed from label_sets where id = ?').pluck();
  return ({ setId, labeler }, ...about) => {
    const key = String(seed.get(setId) ?? 0);
    const bits = createHmac('sha256', key).update(JSON.stringify([labeler, ...about]));
    return Number.parseInt(bits.digest('hex').slice(0, 12), 16) / 2 ** 48;
  };
}
