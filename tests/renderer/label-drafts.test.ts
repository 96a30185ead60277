import { describe, expect, it } from 'vitest';
import { begin } from '../support/label-port.ts';

describe('the details of a decision', () => {
  it('are stored with it, for that pair only: strength, reasons, flags and critique', async () => {
    const { far, labeling } = await begin(4);
    labeling.annotate((draft) => draft.toggleReason('clearer'));
    labeling.annotate((draft) => draft.nextFlag(['personal data', 'broken']));
    labeling.annotate((draft) => draft.nextFlag(['personal data', 'broken']));
    labeling.annotate((draft) => {
      draft.critique = ' names no source ';
    });
    await labeling.reveal();
    expect(labeling.draft.reference).toBe('reference of p0');
    await labeling.press('left', 3);
    await labeling.press('tie', 3);
    expect(far.log.map(({ details }) => details)).toEqual([
      { strength: 3, reasons: ['clearer'], flags: ['broken'], critique: 'names no source', revealed: true },
      {},
    ]);
    await labeling.undo();
    await labeling.undo();
    expect([labeling.draft.reasons, labeling.draft.critique]).toEqual([['clearer'], 'names no source']);
  });

  it('are shown again if it was not written; the draft of the pair after it is kept', async () => {
    const { far, labeling } = await begin(4);
    far.refuse = true;
    labeling.annotate((draft) => draft.toggleReason('clearer'));
    const failing = labeling.answer(() => ({ value: { text: 'rewritten' }, complete: true }));
    labeling.openCritique();
    labeling.draft.critique = 'of p1';
    expect(labeling.writesCritique).toBe(true);
    await failing;
    expect([labeling.current?.pairId, labeling.writesCritique]).toEqual(['p0', false]);
    const { value, reasons, critique } = labeling.draft;
    expect({ value, reasons, critique }).toEqual({
      value: { text: 'rewritten' },
      reasons: ['clearer'],
      critique: '',
    });
    expect(labeling.current?.before).toMatchObject({ choice: 'answered', value: { text: 'rewritten' } });
    far.refuse = false;
    await labeling.press('answered');
    expect(far.log.map(({ details }) => details)).toEqual([{ reasons: ['clearer'] }]);
    expect([labeling.current?.pairId, labeling.draft.critique]).toEqual(['p1', 'of p1']);
  });

  it('keep the half-typed rewrite of the next answer, if the one before it was not written', async () => {
    const { far, labeling } = await begin(4);
    far.refuse = true;
    const failing = labeling.answer(() => ({ value: { text: 'rewritten' }, complete: true }));
    labeling.draft.text = 'half a rewr';
    await failing;
    expect([labeling.current?.pairId, labeling.draft.text]).toEqual(['p0', undefined]);
    far.refuse = false;
    await labeling.answer(() => ({ value: { text: 'rewritten' }, complete: true }));
    expect([labeling.current?.pairId, labeling.draft.text]).toEqual(['p1', 'half a rewr']);
  });

  it('say if it was made between answers cut to one length', async () => {
    const { far, labeling } = await begin(4);
    labeling.lengthBlind = true;
    far.refuse = true;
    await labeling.press('left');
    far.refuse = false;
    await labeling.press('left');
    await labeling.press('tie');
    await labeling.undo();
    await labeling.press('right');
    expect(far.log.map(({ details }) => details)).toEqual([{ lengthBlind: true }, {}]);
  });
});
