import { basename } from 'node:path';
import type { LineageNode } from '../../../preload/contract/lineage.ts';
import { stateText } from '../../../preload/wire/dataset-state.ts';
import type { Db } from '../database.ts';
import { fromJson } from '../json.ts';
import { evaluationOf, versionOf, type Key } from './keys.ts';

interface Named {
  readonly name: string;
  readonly note: string;
}

const rate = (value: unknown): string =>
  typeof value === 'number' && Number.isFinite(value) ? value.toFixed(3) : 'not a number';

/** The headline of a stored result. */
function headline(kind: string, value: Readonly<Record<string, unknown>>): string {
  if (kind === 'episodes') return `return ${rate(value.return)} in ${String(value.episodes)} episodes`;
  const of =
    typeof value.problems === 'number' ? `${value.problems} problems` : `${String(value.pairs)} pairs`;
  return kind === 'evaluation'
    ? `pass@1 ${rate(value.passAt1)} on ${of}`
    : `accuracy ${rate(value.accuracy)} on ${of}`;
}

const plain = {
  dataset: "select name, rows || ' rows' note from datasets where id = ? and visible = 1",
  'label-set': "select name, labeled || ' labels' note from label_sets where id = ? and visible = 1",
  run: "select name, method || ', ' || state note from runs where id = ? and visible = 1",
  checkpoint: `select r.name || ', step ' || c.step name, iif(c.head = 'reward', 'reward model', 'policy') || ', ' ||
    r.method note from checkpoints c join runs r on r.id = c.run_id and r.visible = 1 where c.id = ?`,
  model: "select name, 'added model' note from models where id = ?",
};

/** Names of things in the graph; of removed ones, the start of the id. */
export function descriptions(db: Db): (key: Key) => LineageNode {
  const one = Object.fromEntries(
    Object.entries(plain).map(([kind, sql]) => [kind, db.prepare<[string], Named>(sql)]),
  );
  const version = db.prepare<[string, number], { name: string; version: string | null; rows: number }>(`
    select d.name, v.name version, coalesce(v.rows, c.rows, d.rows) rows from (select ? id, ? sequence) w
    join datasets d on d.id = w.id and d.visible = 1
    left join dataset_versions v on v.dataset_id = d.id and v.sequence = w.sequence
    left join dataset_contents c on c.dataset_id = d.id and c.sequence = w.sequence order by v.id limit 1`);
  const result = db.prepare<[string, string, number], { name: string; value: string }>(`
    select r.name, e.value from results e join runs r on r.id = e.run_id and r.visible = 1
    where e.run_id = ? and e.kind = ? and e.step = ? order by e.attempt desc, e.sequence desc limit 1`);

  const named = ({ kind, id }: Key): Named | undefined => {
    if (kind === 'file') return { name: basename(id), note: 'file' };
    if (kind === 'version') {
      const { datasetId, sequence } = versionOf(id);
      const found = version.get(datasetId, sequence);
      return (
        found && {
          name: `${found.name}, ${stateText({ sequence, version: found.version })}`,
          note: `${found.rows} rows`,
        }
      );
    }
    if (kind === 'evaluation') {
      const { runId, kind: of, step } = evaluationOf(id);
      const found = Number.isFinite(step) ? result.get(runId, of, step) : undefined;
      return (
        found && {
          name: `${found.name}, step ${step}`,
          note: headline(of, fromJson<Record<string, unknown>>(found.value)),
        }
      );
    }
    return one[kind].get(id);
  };
  return (key) => {
    const found = named(key);
    if (found) return { ...key, ...found };
    return { ...key, name: `${key.id.slice(0, 8)}…`, note: 'removed', removed: true };
  };
}
