/** A role's own answers, right and wrong, as places to start from again. */
import type { Problem } from '../../kernel/columns.ts';
import { rowOf } from '../../kernel/rows.ts';
import { stage, type StageMemory } from '../../kernel/stage.ts';
import { answerStart } from '../math/places.ts';

/** An own answer: its tokens, and the id under which it is recorded. */
export interface OwnAnswer {
  readonly tokens: readonly number[];
  readonly id: string;
}

/** A prompt with the newest right and the newest wrong answer to it. */
export interface OwnPrompt {
  readonly promptId: number;
  readonly problem: Problem;
  readonly prompt: readonly number[];
  readonly right?: OwnAnswer;
  readonly wrong?: OwnAnswer;
}

const MEMORY = 'own answers';
/** Most prompts that are remembered: the newest. */
const CAPACITY = 2048;

/** The prompts with own answers that a role remembers, the oldest first. */
export const remembered = (memory: Pick<StageMemory, 'get'>): readonly OwnPrompt[] =>
  (memory.get(MEMORY) as readonly OwnPrompt[] | undefined) ?? [];

/**
 * Remembers for each prompt the newest right answer (reward above `threshold`) and the newest wrong one, of
 * answers that began at their prompt, until share `until` of the run: the newest 2,048 prompts. An answer
 * joins behind its batch, so that a batch starts from earlier ones only.
 */
export const rememberAnswers = ({
  threshold,
  until,
}: {
  readonly threshold: number;
  readonly until: number;
}) =>
  stage({
    id: `rememberAnswers(${threshold}, ${until})`,
    station: 'rows',
    needs: ['promptId', 'problem', 'sample', 'tokens', 'mask', 'reward/total', 'row/start'],
    adds: [],
    run: async (
      { promptId, problem, sample, tokens, mask, 'reward/total': rewards_R, 'row/start': start },
      { memory, progress, answerId },
    ) => {
      if (progress >= until) return { columns: {} };
      const kept = new Map(remembered(memory).map((each) => [each.problem.promptId, each]));
      problem.forEach((whole, r) => {
        if (start[r] !== 0) return;
        const row = rowOf(tokens, r);
        const begins = answerStart(whole, rowOf(mask, r));
        const answer = { tokens: [...row.subarray(begins)], id: answerId(whole.promptId, sample[r]) };
        const before = kept.get(whole.promptId);
        kept.delete(whole.promptId);
        kept.set(whole.promptId, {
          ...before,
          promptId: promptId[r],
          problem: { ...whole, hint: undefined },
          prompt: [...row.subarray(0, begins)],
          ...(rewards_R[r] > threshold ? { right: answer } : { wrong: answer }),
        });
      });
      memory.set(MEMORY, [...kept.values()].slice(-CAPACITY));
      return { columns: {} };
    },
  });
