import { Columns } from '../../main/logs/columns.ts';
import { findLogs } from '../../main/logs/find.ts';
import { readers } from '../../main/logs/readers/index.ts';
import type { LogPoints } from '../../main/store/imported/points.ts';

/** Steps and values of metrics, by name. */
export type Curves = Record<string, [number, number][]>;

/** The runs of a path without a workspace: facts, and all points by the names of the log. */
export async function readLogs(path: string) {
  return await Promise.all(
    (await findLogs(path)).map(async (source) => {
      const parts: LogPoints[] = [];
      const columns = new Columns(source.tool, (points) => parts.push(points));
      let bytes = 0;
      for await (const now of readers[source.reader].read(source, columns)) bytes = Math.max(bytes, now);
      columns.flush();
      const { facts } = columns;
      const curves: Curves = {};
      for (const { name, steps, values } of parts)
        (curves[facts.renamed[name] ?? name] ??= []).push(
          ...Array.from(steps, (step, i): [number, number] => [step, values[i]]),
        );
      return { source, facts, curves, bytes, times: parts.flatMap(({ at }) => [...at]) };
    }),
  );
}
