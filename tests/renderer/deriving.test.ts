import { describe, expect, it } from 'vitest';
import type { DerivingProgress, Recipe, RecipePlan } from '../../preload/contract/deriving.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import { DerivingState } from '../../renderer/features/deriving/deriving.svelte.ts';
import { addressOf } from '../../renderer/features/deriving/lineage.svelte.ts';
import { MixtureEntry, RecipeDraft } from '../../renderer/features/deriving/recipe-draft.svelte.ts';
import { givenFrom, partsFrom, partTerm } from '../../renderer/features/deriving/typed.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const recipe: Recipe = { kind: 'query', from: { datasetId: 'd', query: '' }, marks: false };
const planOf = (rows: number): RecipePlan => ({ rows, sources: [], strata: [], notes: [] });

describe('the typed fields', () => {
  it('of parts are read as names and weights, and as nothing if one is wrong', () => {
    expect(partsFrom('train=.8, test = .2')).toEqual([
      { name: 'train', weight: 0.8 },
      { name: 'test', weight: 0.2 },
    ]);
    for (const wrong of ['', 'train', 'train=0', 'a=1,a=2', 'a=x', 'a:b=1', '=1'])
      expect(partsFrom(wrong)).toBeNull();
  });

  it('of rows by value are read as numbers by value', () => {
    expect(givenFrom('3=100, a=b=4')).toEqual({ 3: 100, 'a=b': 4 });
    for (const wrong of ['', '3', '3=-1', '3=x']) expect(givenFrom(wrong)).toBeNull();
  });

  it('of a part make a term of a query, in quotes where it needs them', () => {
    expect([partTerm('train'), partTerm('my part')]).toEqual(['split:train', 'split:"my part"']);
  });
});

describe('the draft of a recipe', () => {
  it('is a query with the version and columns that were chosen', () => {
    const draft = new RecipeDraft('d', ' right ');
    expect(draft.recipe).toEqual({ kind: 'query', from: { datasetId: 'd', query: 'right' }, marks: false });
    [draft.version, draft.columns] = ['clean', 'level, topic,'];
    expect(draft.recipe).toMatchObject({ from: { version: 'clean' }, columns: ['level', 'topic'] });
  });

  it('is no sample while its rows are neither a share nor whole, or the given rows are not complete', () => {
    const draft = new RecipeDraft('d', '');
    draft.kind = 'sample';
    expect(draft.recipe).toMatchObject({ rows: 0.1, by: null, allocation: 'proportional' });
    draft.rows.text = '2.5';
    expect(draft.recipe).toBeNull();
    draft.rows.text = '20';
    [draft.by, draft.allocation] = ['level', 'given'];
    expect(draft.recipe).toBeNull();
    draft.given = '0=3';
    expect(draft.recipe).toMatchObject({ by: 'level', allocation: 'given', given: { 0: 3 } });
  });

  it('is no mixture while a source has no dataset or a wrong weight', () => {
    const draft = new RecipeDraft('d', '');
    draft.kind = 'mixture';
    expect(draft.recipe).toMatchObject({ from: [{ datasetId: 'd', weight: 1 }], rows: 1000, repeats: false });
    draft.sources.push(new MixtureEntry(''));
    expect(draft.recipe).toBeNull();
    draft.sources[1].datasetId = 'e';
    draft.sources[1].weight.text = '0';
    expect(draft.recipe).toBeNull();
  });
});

describe('the making of a dataset', () => {
  type Client = WhetstoneClient['deriving'];
  const clientOf = (own: Partial<Client>): Client => own as Client;

  it('shows the plan of the newest recipe, also if an older one is answered later', async () => {
    const answers: ((plan: RecipePlan) => void)[] = [];
    const state = new DerivingState(
      clientOf({ plan: () => new Promise((resolve) => void answers.push(resolve)) }),
    );
    state.consider(recipe, 0);
    await settled();
    state.consider(recipe, 0);
    await settled();
    answers[1](planOf(2));
    answers[0](planOf(1));
    await settled();
    expect([state.plan?.rows, state.planning]).toEqual([2, false]);
    state.consider(null);
    expect(state.plan).toBeNull();
  });

  it('can be cancelled while rows are copied, and made again', async () => {
    const closed: string[] = [];
    const opened: ((progress: DerivingProgress) => void)[] = [];
    const state = new DerivingState(
      clientOf({
        make: (_input, onValue) => {
          opened.push(onValue);
          return () => void closed.push('closed');
        },
      }),
    );
    const made = state.make(recipe, 'one');
    opened[0]({ state: 'copying', done: 1, total: 2, secondsLeft: null });
    expect(state.working?.done).toBe(1);
    expect(await state.make(recipe, 'twice')).toBeNull();
    state.cancel();
    expect(await made).toBeNull();
    expect([closed, state.working, state.task.error?.kind]).toEqual([['closed'], null, 'cancelled']);
  });
});

it('a file and a removed dataset have no screen', () => {
  const node = { id: 'i', name: 'n', note: '' };
  expect(addressOf({ kind: 'run', ...node })).toEqual(['runs', 'i']);
  expect(addressOf({ kind: 'file', ...node })).toBeNull();
  expect(addressOf({ kind: 'dataset', ...node, removed: true })).toBeNull();
});
