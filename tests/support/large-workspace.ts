import type { Db } from '../../main/store/database.ts';
import { openDatabase } from '../../main/store/database.ts';
import { parsedSpec } from './workspace.ts';
import { noFindings } from './findings.ts';

/** Ids in a large workspace. */
export const largeIds = {
  dataset: 'large-dataset',
  crowded: 'crowded-dataset',
  labelSet: 'large-set',
  spareSet: 'spare-set',
  run: 'large-run',
  labeling: 'labeled-set',
} as const;

/** Rows of each kind. */
export interface Sizes {
  /** Answers of the dataset: a tenth of them to one prompt, the others two per prompt. */
  readonly rows: number;
  /** Answers of another dataset, all to one prompt. */
  readonly crowd: number;
  /** Pairs of the large label set, half of them labeled. */
  readonly pairs: number;
  /** Samples of the run, each with two scores. */
  readonly samples: number;
  /** Entries of each list: runs, datasets, label sets, models, checkpoints, results. */
  readonly entries: number;
}
export const largeSizes: Sizes = {
  rows: 120_000,
  crowd: 12_000,
  pairs: 100_000,
  samples: 100_000,
  entries: 1_500,
};

/** Creates the file of a large workspace directly in SQL, in a few seconds. */
export function makeLargeWorkspace(path: string, sizes: Sizes = largeSizes): void {
  const db = openDatabase(path, { create: true });
  db.pragma('synchronous = OFF');
  db.transaction(() => {
    db.prepare("insert into workspace values (1, 'id', 'large', 0)").run();
    fillDatasets(db, sizes);
    fillLabels(db, sizes);
    fillRuns(db, sizes);
    fillInspection(db, sizes);
  })();
  db.close();
}

const numbers = (count: number): string =>
  `with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ${count})`;

function fillDatasets(db: Db, { rows, crowd, entries }: Sizes): void {
  const doctor = JSON.stringify(noFindings);
  const dataset = db.prepare("insert into datasets values (?, ?, 'test', 'hash', 0, ?, ?, 1)");
  for (let i = 0; i < entries; i += 1)
    dataset.run(`dataset-${String(i).padStart(6, '0')}`, `dataset ${i}`, 0, doctor);
  dataset.run(largeIds.dataset, 'large', rows, doctor);
  dataset.run(largeIds.crowded, 'crowded', crowd, doctor);
  const fill = (id: string, count: number, crowded: number): void => {
    db.exec(`${numbers(count)} insert into dataset_rows (dataset_id, row, line, prompt_id, prompt, answer, reference, correct, source)
      select '${id}', i, i + 1, case when i < ${crowded} then 'crowded' else 'prompt-' || (i / 2) end, 'What is ' || i || '?',
        'answer ' || i || substr(hex(randomblob(60)), 1, 100), null, i % 2, 'test' from n`);
  };
  fill(largeIds.dataset, rows, Math.floor(rows / 10));
  fill(largeIds.crowded, crowd, crowd);
  db.exec(
    `${numbers(rows)} insert into dataset_rejected select '${largeIds.dataset}', i, 'is no JSON', '{' from n`,
  );
}

function fillLabels(db: Db, { pairs, entries }: Sizes): void {
  const set = db.prepare(
    'insert into label_sets (id, name, created_at, seed, dataset_id, pairs) values (?, ?, 0, 0, ?, ?)',
  );
  for (let i = 0; i < entries; i += 1) set.run(`set-${String(i).padStart(6, '0')}`, `set ${i}`, null, 0);
  set.run(largeIds.labelSet, 'large', null, pairs);
  set.run(largeIds.spareSet, 'to be removed', null, pairs);
  set.run(largeIds.labeling, 'for the labeler', null, 20_000);
  const fill = (id: string, count: number): void => {
    db.exec(`${numbers(count)} insert into pairs (id, set_id, position, prompt_id, prompt, a, b, origin_a,
      origin_b, correct_a, correct_b, left_is)
      select '${id}-' || i, '${id}', i, 'p' || i, 'Which?',
        'answer a of ' || i || substr(hex(randomblob(60)), 1, 100), 'answer b of ' || i, 'x', 'y', 1, 0,
        case i % 2 when 0 then 'a' else 'b' end from n`);
  };
  fill(largeIds.labelSet, pairs);
  fill(largeIds.spareSet, pairs);
  fill(largeIds.labeling, 20_000);
  // through the triggers, like every label
  db.exec(`${numbers(pairs / 2)} insert into label_events (pair_id, set_id, event, verdict, undoes, at, seconds, labeler)
    select '${largeIds.labelSet}-' || i, '${largeIds.labelSet}', 'label', 'a', null, i, 1, 'script' from n`);
}

function fillRuns(db: Db, { samples, entries }: Sizes): void {
  const spec = JSON.stringify(parsedSpec());
  const run = db.prepare(
    "insert into runs (id, name, state, method, spec, created_at, queued_at) values (?, ?, 'done', 'sft', ?, 0, 0)",
  );
  for (let i = 0; i < entries; i += 1) run.run(`run-${String(i).padStart(6, '0')}`, `run ${i}`, spec);
  run.run(largeIds.run, 'large', spec);
  db.exec(`insert into attempts (run_id, attempt, started_at) values ('${largeIds.run}', 1, 0)`);
  db.exec(`${numbers(samples)} insert into trajectories
    select 'sample-' || i, '${largeIds.run}', 1, i / 100, i % 100, 'policy', 'v', i / 100,
      case i % 2 when 0 then 'train' else 'evaluation' end, 'p' || (i / 20), i % 20,
      'What is ' || (i / 20) || '?', 'completion ' || i, 10, 5, -1.5, 'end', 1.0,
        'artifacts/segments/' || (i / 100) || '.bin', 0, 40 from n`);
  db.exec(`${numbers(samples)} insert into scores select 'sample-' || i, 'verifier', '', i % 2 from n`);
  const series = db.prepare("insert into metric_series (run_id, role, name) values (?, 'policy', ?)");
  for (const name of ['loss', 'entropy', 'kl', 'reward']) {
    const id = Number(series.run(largeIds.run, name).lastInsertRowid);
    db.exec(`${numbers(samples)} insert into metric_points select ${id}, 1, i + 1, i, i, i * 0.5 from n`);
  }
  db.exec(`${numbers(entries)} insert into checkpoints (id, run_id, attempt, step, path, hash, bytes, parameters, head, final, created_at)
    select 'checkpoint-' || i, '${largeIds.run}', 1, i, 'artifacts/runs/${largeIds.run}/step-' || i, 'h', 1, 1, 'next-token', 0, 0 from n`);
  db.exec(
    `${numbers(entries)} insert into results select '${largeIds.run}', 1, i + 1, i, 'evaluation', '{"i":' ` +
      `|| i || '}', 0 from n`,
  );
  db.exec(
    `${numbers(entries)} insert into models select 'model-' || i, 'model ' || i, '/folder/' || i, 'h' || ` +
      `i, '{"folder":"/folder"}', 0 from n`,
  );
}

/** The pairs of the large label set as those of the run's inspection. */
function fillInspection(db: Db, { pairs }: Sizes): void {
  const { run, labelSet } = largeIds;
  db.prepare("insert into run_inputs values (?, 'label-set', ?, 'h', null, '')").run(run, labelSet);
  db.prepare('insert into inspections values (?, 1, ?)').run(run, pairs);
  db.exec(`${numbers(pairs)} insert into inspected_pairs select '${run}', 1, i, '${labelSet}-' || i,
    i % 7, i % 5, (i % 7) - (i % 5), 5, 6, 1, 0, i % 2, null, null, i, 2 * i, 2 * i + 1 from n`);
  db.exec(`${numbers(pairs)} insert into inspected_texts select '${run}', 1, i, 'p' || i, 'Which?',
    'answer a of ' || i, 'answer b of ' || i from n`);
}
