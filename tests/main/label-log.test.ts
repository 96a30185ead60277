import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../main/store/database.ts';
import { migrations } from '../../main/store/migrations/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { datasetForTest, workspaceForTest } from '../support/workspace.ts';

type Choice = 'left' | 'right' | 'tie' | 'skip';
/** The expected state of the log: each labeler's decisions and undone decisions, newest last. */
class Model {
  readonly done: { pairId: string; choice: Choice }[] = [];
  readonly undone: { pairId: string; choice: Choice }[] = [];
  decide(pairId: string, choice: Choice): void {
    this.done.push({ pairId, choice });
    this.undone.length = 0;
  }
  undo(): void {
    const last = this.done.pop();
    if (last) this.undone.push(last);
  }
  redo(): void {
    const last = this.undone.pop();
    if (last) this.done.push(last);
  }
  /** The newest decision on each item. */
  get current(): ReadonlyMap<string, Choice> {
    return new Map(this.done.map(({ pairId, choice }) => [pairId, choice]));
  }
}

const step = fc.record({
  who: fc.constantFrom('ann', 'ben'),
  what: fc.constantFrom('left', 'right', 'tie', 'skip', 'undo', 'undo', 'redo'),
  item: fc.nat({ max: 3 }),
});

describe('the log of labels', () => {
  it('means the same as a stack per labeler, for random decisions, corrections, undos and redos', async () => {
    const { store } = await workspaceForTest();
    const datasetId = await datasetForTest(store);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const from = { kind: 'dataset' as const, datasetId };
        const pairs = { pairsPerPrompt: 4, onlyDiffering: false, seed: 1 };
        const set = await store.labelSets.create({ name: '', from, ...pairs, options: { overlap: 2 } });
        const items = await store.labels.queue(set.id, [], 4);
        const models = { ann: new Model(), ben: new Model() };
        for (const { who, what, item } of steps) {
          const labeler = who as 'ann' | 'ben';
          const { pairId } = items[item % items.length];
          if (what === 'undo') {
            await store.labels.undo(set.id, labeler);
            models[labeler].undo();
          } else if (what === 'redo') {
            await store.labels.redo(set.id, labeler);
            models[labeler].redo();
          } else {
            const verdict = what as Choice;
            await store.labels.decide({ pairId, verdict, labeler, seconds: 1, rationale: '' });
            models[labeler].decide(pairId, verdict);
          }
        }
        for (const labeler of ['ann', 'ben'] as const) {
          const { current } = models[labeler];
          const stored = await store.labels.recent(set.id, 100, labeler);
          expect(new Map(stored.map(({ pairId, choice }) => [pairId, choice]))).toEqual(new Map(current));
          const sided = [...current.values()].filter((choice) => choice === 'left' || choice === 'right');
          const lefts = sided.filter((choice) => choice === 'left').length;
          expect(await store.labels.progress(set.id, labeler)).toMatchObject({
            mine: current.size,
            leftShare: sided.length ? lefts / sided.length : null,
          });
        }
      }),
      { seed: 13, numRuns: 25 },
    );
  });

  it('repeats an undone decision with its rationale', async () => {
    const { store } = await workspaceForTest();
    const datasetId = await datasetForTest(store);
    const from = { kind: 'dataset' as const, datasetId };
    const choice = { pairsPerPrompt: 1, onlyDiffering: false, seed: 1 };
    const set = await store.labelSets.create({ name: '', from, ...choice });
    const [{ pairId }] = await store.labels.queue(set.id, [], 1);
    const decision = { pairId, verdict: 'left' as const, labeler: 'ann', seconds: 1 };
    await store.labels.decide({ ...decision, rationale: 'names its source' });
    await store.labels.undo(set.id, 'ann');
    await store.labels.redo(set.id, 'ann');
    const { items } = await store.exporting.labels(set.id, null);
    expect(items).toMatchObject([{ pairId, about: { labeler: 'ann', rationale: 'names its source' } }]);
  });

  it('of version 9 keeps its labels, by labeler, when the workspace is opened', () => {
    const path = join(temporaryFolder(), 'workspace.db');
    const db = openDatabase(path, {
      create: true,
      migrations: migrations.filter(({ version }) => version <= 9),
    });
    db.exec(`
      insert into label_sets (id, name, created_at, seed, pairs) values ('s', 'set', 0, 0, 2);
      insert into pairs (id, set_id, position, prompt_id, prompt, a, b, origin_a, origin_b, left_is) values
        ('p', 's', 0, 'q', '?', 'x', 'y', '0', '1', 'b'), ('o', 's', 1, 'q', '?', 'x', 'z', '0', '2', 'a');
      insert into label_events (pair_id, set_id, event, verdict, undoes, at, labeler) values
        ('p', 's', 'label', 'b', null, 1, 'me'), ('o', 's', 'label', 'tie', null, 2, 'me'),
        ('o', 's', 'undo', null, 2, 3, 'me'), ('o', 's', 'label', 'a', null, 4, 'ann');
    `);
    db.close();
    const migrated = openDatabase(path, { create: false });
    const labels = migrated
      .prepare('select pair_id, labeler, verdict, is_left from labeler_labels order by pair_id')
      .all();
    const counts = migrated
      .prepare('select labeler, labeled, decided, lefts from labeler_counts order by labeler')
      .all();
    const items = migrated.prepare('select id, labelers from pairs order by id').all();
    migrated.close();
    expect(labels).toEqual([
      { pair_id: 'o', labeler: 'ann', verdict: 'a', is_left: 1 },
      { pair_id: 'p', labeler: 'me', verdict: 'b', is_left: 1 },
    ]);
    expect(counts).toEqual([
      { labeler: 'ann', labeled: 1, decided: 1, lefts: 1 },
      { labeler: 'me', labeled: 1, decided: 1, lefts: 1 },
    ]);
    expect(items).toEqual([
      { id: 'o', labelers: 1 },
      { id: 'p', labelers: 1 },
    ]);
  });
});
