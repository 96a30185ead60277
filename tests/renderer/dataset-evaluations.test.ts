import { expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import type { Dataset } from '../../preload/contract/datasets.ts';
import { shownFields } from '../../renderer/features/runs/form/field-values.ts';
import { allOf } from '../../renderer/features/runs/form/sections.ts';
import { differencesOf, shown, summaryOf } from '../../renderer/features/runs/form/summary.ts';
import { noFindings } from '../support/findings.ts';
import { catalogue, newModel, openForm } from '../support/launch-form.ts';

const dataset = (id: string, more: Partial<Dataset> = {}): Dataset => ({
  id,
  name: id,
  source: 'test',
  hash: id,
  createdAt: 1,
  rows: 9,
  doctor: { ...noFindings },
  ...more,
});
const stock = {
  datasets: [dataset('held', { parts: ['test'], versions: ['first'] }), dataset('mine', { parts: ['dev'] })],
};
const start = { method: { id: 'grpo' }, ...newModel, task: { kind: 'world', id: 'toy/copy' } };
const path = (key: string) => ['evaluations', '0', key];

it('an evaluation on a dataset is chosen, described and launched from the form', async () => {
  const { launch, launched } = openForm(start, { stock });
  const labels = () => [...shownFields(allOf(launch.sections), launch)].map(({ label }) => label);
  expect(labels().some((label) => label.startsWith('Evaluation 1'))).toBe(false);
  launch.draft.set(['evaluations'], [{}]);
  expect(labels()).toContain('Evaluation 1 › Dataset');
  expect(launch.problems.map(({ label }) => label)).toContain('Evaluation 1 › Name');
  launch.draft.set(path('name'), 'far');
  launch.draft.set(path('datasetId'), 'held');
  launch.draft.set(path('measure'), 'likelihood');
  // parts and versions are those of the evaluation's dataset, not of the run's
  expect(launch.choices('datasetId', path('datasetId'))?.map(({ value }) => value)).toEqual(['held', 'mine']);
  expect(launch.choices('part', path('part'))).toEqual([{ value: 'test', label: 'test' }]);
  expect(launch.choices('version', path('version'))).toEqual([{ value: 'first', label: 'first' }]);
  await launch.launch();
  expect(launched).toMatchObject([
    { evaluations: [{ name: 'far', datasetId: 'held', measure: 'likelihood' }] },
  ]);
});

it('its scorer is one that needs no world, and its world can be taken back', () => {
  const { launch } = openForm({ ...start, evaluations: [{ name: 'far', datasetId: 'held' }] }, { stock });
  const scorers = launch.registry(path('scorer')).map(({ id }) => id);
  expect(scorers).toContain('match/exact');
  expect(scorers).not.toContain('verifier');
  expect(launch.registry(path('world')).map(({ id }) => id)).toContain('toy/copy');
  const world = () =>
    [...shownFields(allOf(launch.sections), launch)]
      .map(({ field }) => field)
      .find((field) => field.path.join('.') === 'evaluations.0.world');
  expect(world(), 'a dataset is measured in place of a world').toBeUndefined();
  launch.draft.set(path('datasetId'), undefined);
  expect(world()).toMatchObject({ kind: 'named', nullable: true });
});

it('the summary says what is measured, and of what', () => {
  const spec = checkSpec({
    ...start,
    evaluations: [
      { name: 'far', datasetId: 'held', part: 'test', measure: 'likelihood' },
      { name: 'hard', world: { id: 'toy/copy' } },
    ],
  });
  const lines = summaryOf(
    spec,
    { catalogue, checkpoints: [], models: [], labelSets: [], runs: [], ...stock },
    true,
  );
  expect(lines.find(({ term }) => term === 'Measured too')?.text).toMatch(
    /^far: likelihood on held \(9 rows\), part test; hard: answers on /,
  );
});

it('what differs names the entries of lists, and says in words what one of them lacks', () => {
  const copy = { id: 'toy/copy', params: { letters: 4 } };
  const of = (evaluations: object[], rewards: object[] = [{ id: 'verifier' }]) =>
    checkSpec({ ...start, rewards, evaluations });
  const hard = { name: 'hard', world: copy };
  const added = differencesOf(of([]), of([hard]));
  expect(added.map(({ path: at }) => at)).toEqual(['evaluations.hard']);
  expect(shown(added[0].from)).toBe('none');
  expect(shown(added[0].to)).toMatch(/^name hard, world toy\/copy, world letters 4, /);
  expect(differencesOf(of([hard]), of([{ ...hard, samples: 2 }]))).toEqual([
    { path: 'evaluations.hard.samples', from: of([hard]).evaluations?.[0].samples, to: 2 },
  ]);
  const weighted = differencesOf(of([hard]), of([hard], [{ id: 'verifier', weight: 2 }, { id: 'length' }]));
  expect(weighted.map(({ path: at }) => at)).toEqual(['rewards.verifier.weight', 'rewards.length']);
});
