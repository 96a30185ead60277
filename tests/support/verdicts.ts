import { rewards, type AnswerRow } from '../../engine/rewards/index.ts';

export const rewardOf = (id: string) => {
  const found = rewards.find((reward) => reward.id === id);
  if (!found) throw new Error(`no reward ${id}`);
  return found;
};

/** An answer to be scored. */
export const row = (reference: string | null, completion: string, prompt = 'What?'): AnswerRow => ({
  promptId: 'p',
  prompt,
  completion,
  reference,
  tokens: 1,
  stopReason: 'end',
});

/** The reward of each row. */
export const judge = async (id: string, rows: readonly AnswerRow[], params: object = {}) => [
  ...(await (await rewardOf(id).open(params, { reference: true })).score(rows)),
];

/** The reward of each answer against one reference. */
export const judged = (id: string, reference: string, answers: readonly string[], params: object = {}) =>
  judge(
    id,
    answers.map((answer) => row(reference, answer)),
    params,
  );
