import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type compare } from '../../preload/contract/compare.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { stateText } from '../../preload/wire/dataset-state.ts';
import { readResult, type ResultKind } from '../../engine/schema/results.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import { compareReport } from '../report/compare.ts';
import { renderReport } from '../report/index.ts';
import type { Services } from '../services/services.ts';
import { storeError } from '../store/database.ts';
import { writeWhole } from '../store/files.ts';
import { sha256 } from '../store/json.ts';
import { conclude } from '../use-cases/comparing/conclude.ts';
import { seedKey } from '../use-cases/comparing/groups.ts';
import { comparedProblems } from '../use-cases/comparing/problems.ts';
import { fileMode, folderMode } from '../store/private.ts';
import { referenceName } from '../use-cases/reference-names.ts';
import { differences } from './differences.ts';
import { runDoctorHandlers } from './run-doctor.ts';
import { runsHandlers } from './runs.ts';

/** A run's specification, with the state of its dataset in words. */
const withState = ({ spec, data }: Run): unknown =>
  spec && data
    ? {
        ...spec,
        task: { ...spec.task, rows: `${stateText(data)}, ${data.rows} rows, ${data.hash.slice(0, 8)}` },
      }
    : spec;

export const compareHandlers = (services: Services): Handlers<typeof compare> => {
  const configOf = (run: Run): unknown =>
    run.imported ? services.store.importedRuns.config(run.id) : withState(run);
  const overview: Handlers<typeof compare>['overview'] = async ({ runIds }) => {
    const runs = await Promise.all(runIds.map((id) => services.store.runs.get(id)));
    const newest = <K extends ResultKind>(kind: K) =>
      Promise.all(
        runIds.map(async (id) => {
          const result = await services.store.results.newest(id, kind);
          return result && readResult(kind, result.value);
        }),
      );
    const [evaluations, episodes] = [await newest('evaluation'), await newest('episodes')];
    return {
      rows: runs.map((r, i) => ({
        runId: r.id,
        name: r.name,
        method: r.method,
        state: r.state,
        group: sha256(seedKey(r)),
        evaluation: evaluations[i],
        episodes: episodes[i],
      })),
      differences: await Promise.all(
        differences(await Promise.all(runs.map(configOf))).map(async ({ path, values }) => ({
          path,
          values,
          names: await Promise.all(values.map((value) => referenceName(services, path, value))),
        })),
      ),
    };
  };
  const handlers: Handlers<typeof compare> = {
    overview,
    conclude: (input) => conclude(services, input),
    problems: (query) => comparedProblems(services, query),
    async report({ runIds, title, path, baseline = null, folded = false }) {
      const html = renderReport(
        await compareReport(
          { runs: runsHandlers(services), compare: handlers, runDoctor: runDoctorHandlers(services) },
          { runIds, title, baseline, folded },
        ),
      );
      const target =
        path === null ? join(services.folder, 'artifacts', 'exports', `${sha256(html)}.html`) : resolve(path);
      try {
        await mkdir(dirname(target), { recursive: true, ...(path === null && { mode: folderMode }) });
      } catch (error) {
        throw storeError(error, target);
      }
      await writeWhole(target, [html], path === null ? fileMode : undefined);
      return { path: target, html };
    },
  };
  return handlers;
};
