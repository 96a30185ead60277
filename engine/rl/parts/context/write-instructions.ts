/**
 * Instructions that mean what a task means, written to make a policy fail: a grammar that earlier failures
 * shift.
 */
import type { Draws, Wordings } from '../../../common/wordings.ts';
import { meanCosines } from '../../../evaluate/index.ts';
import { WhetstoneError } from '../../../common/errors.ts';
import { promptIdOf } from '../../../random/hash.ts';
import { hash32 } from '../../../random/random.ts';
import type { Problem } from '../../kernel/columns.ts';
import { ragged } from '../../kernel/rows.ts';
import { stage, type StageContext } from '../../kernel/stage.ts';
import { remember, rememberedOf } from '../math/failed-instructions.ts';

/**
 * What the writer is asked for: the prompt as it is, a plain rephrasing, or what may challenge the policy.
 */
export const writerStyles = ['original', 'rephrase', 'challenge'] as const;

export interface WriterPlan {
  /** Instructions of a set, all for one task. */
  readonly instructions: number;
  /** Sets that are written, of which the most diverse one is kept. */
  readonly sets: number;
  readonly style: (typeof writerStyles)[number];
  /** Share of the instructions that are written after an earlier failure. */
  readonly follow: number;
}

/** Share of the kinds that a challenging instruction has, without an example. */
const CHALLENGE = 0.3;
/**
 * After an example, each of its kinds stays with the one chance, and each other one is added with the other.
 */
const STAYS = 0.9;
const ADDED = 0.15;
/** Instructions that are tried for one that fits and means the same. */
const TRIES = 20;

/** The kinds of changes of the next instruction. */
function kindsFor(
  { style, follow }: WriterPlan,
  { kinds, kindsOf }: Wordings,
  failed: readonly string[],
  draw: Draws,
): readonly string[] {
  if (style === 'original') return [];
  if (style === 'rephrase') return [draw.pick(kinds)];
  if (failed.length > 0 && draw.next() < follow) {
    const example = kindsOf(draw.pick(failed));
    return kinds.filter((kind) => draw.next() < (example.includes(kind) ? STAYS : ADDED));
  }
  return kinds.filter(() => draw.next() < CHALLENGE);
}

/**
 * An instruction that means the same and leaves room for its right answer; the task’s own prompt where none is
 * found.
 */
function written(
  { prompt }: Problem,
  kinds: () => readonly string[],
  wordings: Wordings,
  { text, draw }: { readonly text: StageContext['text']; readonly draw: Draws },
): string {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const chosen = kinds();
    const said = chosen.length === 0 ? prompt : wordings.say(prompt, chosen, draw);
    if (said === null || wordings.answer(said) !== wordings.answer(prompt)) continue;
    // what is said at greater length may need a longer answer too
    const worked = wordings.worked(said);
    if (worked !== null && text.encode(worked).length >= text.maxTokens) continue;
    if (tokensOf(said, wordings, text) + text.maxTokens <= text.context) return said;
  }
  return prompt;
}

/** Tokens of an instruction. Throws `invalid-input` for a model that cannot read words around a prompt. */
function tokensOf(said: string, { isAround = false }: Wordings, text: StageContext['text']): number {
  try {
    return text.prompt(said).length;
  } catch (error) {
    if (!isAround) throw error;
    const { message } = WhetstoneError.from(error);
    throw new WhetstoneError(
      'invalid-input',
      `The model cannot read the words that a probe puts around the prompts of this task. ${message}`,
      {
        where: 'task',
        hint: 'Probe a model that reads any text, or a world with wordings in its own signs.',
        cause: error,
      },
    );
  }
}

/**
 * Of several sets the one whose texts are least alike by the mean cosine over all pairs; the first of equal
 * ones.
 */
export const leastAlike = (sets: readonly (readonly string[])[]): readonly string[] =>
  sets
    .map((texts) => ({
      texts,
      alike: meanCosines(texts).reduce((sum, each) => sum + each, 0) / texts.length,
    }))
    .reduce((best, each) => (each.alike < best.alike ? each : best)).texts;

/** The problem of an instruction, and what is shown in place of its prompt. */
const asking = (task: Problem, said: string, { isAround = false }: Wordings) =>
  isAround
    ? { problem: task, shown: said === task.prompt ? '' : said }
    : { problem: { ...task, promptId: promptIdOf(said), prompt: said }, shown: '' };

/**
 * Puts sets of instructions in place of the prompts (embodied red teaming: Karnik et al. 2024,
 * arXiv:2411.18676): for each task `sets` sets are written, and the one with the lowest mean cosine over all
 * pairs is kept. A batch of B prompts gives B instructions, for the first B ⁄ `instructions` tasks. Those
 * tasks stay in all rounds, and what `rememberFailures` kept of earlier rounds are the examples that later
 * ones follow. The writer is a grammar, in which examples shift the choice of changes; it
 * learns nothing. Where the verifier reads the plain prompt, that stays the problem and what is asked is
 * `shown`. `reward/likeness`: the mean cosine of an instruction to the others of its set, for the record.
 */
export const writeInstructions = (wordings: Wordings, plan: WriterPlan) =>
  stage({
    id: `writeInstructions(${plan.instructions}, ${plan.sets}, ${plan.style}, ${plan.follow})`,
    station: 'context',
    needs: ['promptId', 'problem', 'prompt'],
    adds: ['promptId', 'problem', 'prompt', 'shown'],
    run: async ({ problem }, { memory, text, random }) => {
      const draw = random('instructions');
      const count = Math.ceil(problem.length / plan.instructions);
      const { tasks, failed } = rememberedOf(memory) ?? { tasks: problem.slice(0, count), failed: [] };
      remember(memory, { tasks, failed });
      const rows = tasks.flatMap((task, at) => {
        const size = Math.min(plan.instructions, problem.length - at * plan.instructions);
        const set = (): string[] =>
          Array.from({ length: size }, () =>
            written(task, () => kindsFor(plan, wordings, failed, draw), wordings, { text, draw }),
          );
        const chosen = leastAlike(Array.from({ length: plan.sets }, set));
        const likeness = meanCosines(chosen);
        return chosen.map((said, k) => ({ ...asking(task, said, wordings), said, likeness: likeness[k] }));
      });
      return {
        columns: {
          promptId: Float64Array.from(rows, (row) => hash32(row.problem.promptId)),
          problem: rows.map((row) => row.problem),
          prompt: ragged(rows, Int32Array, (row) => text.prompt(row.said)),
          shown: rows.map(({ shown }) => shown),
        },
        raw: { likeness: Float64Array.from(rows, (row) => row.likeness) },
      };
    },
  });
