import { operate, type PlanRow } from '../../engine/index.ts';

/** A row of answers as operators of plans read them. */
export const planRow = (prompt: string, answer: string, reward = 0, own: Partial<PlanRow> = {}): PlanRow => ({
  promptId: prompt,
  prompt,
  answer,
  reference: null,
  correct: null,
  source: 'a',
  extra: { reward },
  ...own,
});

/** What operators make of rows, one after another. */
export const operated = (
  rows: readonly PlanRow[],
  ...specs: [id: string, params?: Record<string, unknown>][]
) =>
  operate(
    rows,
    specs.map(([id, params = {}]) => ({ id, params })),
    'data',
  );

export const planTexts = (rows: readonly PlanRow[]) =>
  rows.map(({ prompt, answer, correct }) => [prompt, answer, correct]);
