import { describe, expect, it } from 'vitest';
import { foundInAtlas } from '../../renderer/features/methods/atlas.ts';
import type { TaskKind } from '../../renderer/lib/methods.ts';
import { catalogue, labelSet, newModel, openForm } from '../support/launch-form.ts';

const [method] = catalogue.methods.filter(({ id }) => id === 'sft');
const praise: TaskKind = {
  kind: 'praise',
  title: 'praise',
  offeredBy: ['labels', 'world'],
  trainsOn: 'problems',
  rewards: 'recorded',
};
const extended = (kind: TaskKind) => ({
  ...catalogue,
  taskKinds: [...catalogue.taskKinds, kind],
  methods: [...catalogue.methods, { ...method, id: 'praised', task: kind.kind }],
});
const formOf = (kind: TaskKind) => {
  const { launch } = openForm(newModel, {
    stock: { catalogue: extended(kind), labelSets: [labelSet('set')] },
  });
  launch.chooseMethod('praised');
  return launch;
};

describe('a kind of task that is defined only in the catalogue', () => {
  it('gets data in its own order, and scorers, from the form', () => {
    const { sections, draft, usesRewards, advice } = formOf(praise);
    expect(sections.task).toMatchObject({ options: [{ value: 'labels' }, { value: 'world' }] });
    expect(draft.get(['task'])).toEqual({ kind: 'labels', labelSetId: 'set' });
    expect([usesRewards, sections.rewards?.hint]).toEqual([true, 'Recorded with each answer.']);
    expect(advice.trainsUntrainedPolicy).toBe(true);
  });

  it('gets no scorers if they are optional, and the verifier if one is required', () => {
    expect(formOf({ ...praise, rewards: 'optional' }).sections.rewards).toBeNull();
    expect(formOf({ ...praise, rewards: 'needed' }).sections.rewards?.hint).toMatch(/world’s verifier/);
  });

  it('trains one epoch if it uses pairs, and gives no warning about untrained weights if it imitates', () => {
    expect(formOf({ ...praise, trainsOn: 'pairs' }).draft.get(['budget', 'steps'])).toBeGreaterThan(0);
    expect(formOf(praise).draft.get(['budget', 'steps'])).toBeUndefined();
    expect(formOf({ ...praise, trainsOn: 'examples' }).advice.trainsUntrainedPolicy).toBe(false);
  });

  it('is a group heading in the atlas', () => {
    const query = { query: '', task: 'praise', makes: '' };
    expect(foundInAtlas(extended(praise), [], query).groups).toMatchObject([
      { task: 'praise', title: 'From praise', methods: [{ id: 'praised' }] },
    ]);
  });
});
