import { showable } from '../../../engine/index.ts';
import { markedAttempt } from '../../../engine/common/shown-answers.ts';
import type { AnswersFrom, ShowableAnswers } from '../../../preload/contract/answers.ts';
import type { Services } from '../../services/services.ts';
import { answersOfRun } from './of-run.ts';
import { answersOfSamples } from './of-samples.ts';
import { withReferences } from './references.ts';
import { tooMany, MOST_ANSWERS } from './most.ts';
import type { AnswerRow } from './staged.ts';
import { cancelled } from '../reading.ts';

/**
 * Counts the prompts of stored answers by the answer that mutation data would learn from. Throws `not-found`
 * without answers, `cancelled`.
 */
export async function showableAnswers(
  services: Services,
  from: Exclude<AnswersFrom, { kind: 'model' }>,
  signal: AbortSignal,
  push: (progress: ShowableAnswers) => void,
): Promise<void> {
  const { store } = services;
  const held: AnswerRow[] = [];
  const batches = from.kind === 'run' ? answersOfRun(store, from) : answersOfSamples(services, from, signal);
  for await (const { rows, done, total } of batches) {
    if (signal.aborted) throw cancelled();
    held.push(...rows);
    if (held.length > MOST_ANSWERS) throw tooMany();
    push({ state: 'reading', done, total });
  }
  const evaluated = held.filter(({ extra }) => extra?.purpose === 'evaluation').length;
  const prompts = showable(await withReferences(store, held, signal));
  const attempt = markedAttempt((mark) =>
    held.some(({ prompt, answer }) => prompt.includes(mark) || answer.includes(mark)),
  );
  push({ state: 'done', answers: held.length, evaluated, attempt, prompts: [...prompts] });
}
