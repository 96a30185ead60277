import { TEXT_WIDTH } from '../../../engine/index.ts';
import type { EngineCall } from '../../engine-host/host.ts';
import { featuresOf, type RowPages } from './features.ts';

/** Places rows on a map by their texts: near rows share words. */
export async function placesOf(
  pages: RowPages,
  call: EngineCall,
  report: (done: number) => void,
): Promise<{ readonly row: number; readonly x: number; readonly y: number }[]> {
  const { rows, values } = await featuresOf(pages, report);
  const { x, y } = await call('plane', { values, width: TEXT_WIDTH });
  return rows.map((row, i) => ({ row, x: x[i], y: y[i] }));
}
