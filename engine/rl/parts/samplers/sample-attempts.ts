/** Samples answers in rounds: later prompts show earlier answers. */
import { WhetstoneError } from '../../../common/errors.ts';
import type { Column, Columns, ModelPort, Problem } from '../../kernel/columns.ts';
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { appendRows, gather, maskedCounts, ragged, rowOf, type Table } from '../../kernel/rows.ts';
import { stage, type StageContext } from '../../kernel/stage.ts';
import { withPrompts, type NextPrompts, type Tried } from '../math/attempts.ts';
import { fitted, type ShownPrompt } from '../math/templates.ts';
import { earnedOf } from '../scorers/score.ts';

export interface AttemptPlan {
  /** Answers to each plain prompt. */
  readonly first: number;
  /** Rounds after those. */
  readonly rounds: number;
  readonly next: NextPrompts;
  /** True if prompts show what the verifier says, so that it is asked. */
  readonly reasons?: boolean;
  /** True if prompts show the answers to the next prompt of the batch in place of their own: a control. */
  readonly swapped?: boolean;
  /** Further answers to each plain prompt, in round −1, which no prompt shows. */
  readonly beside?: number;
}

/**
 * Columns of `sampleAttempts`. `row/round`: 0 for answers to the plain prompt, −1 for those that no prompt
 * shows; `row/base`: the reward that an answer is compared with, 0 in round 0; `row/prompt`: the place of the
 * prompt in the batch; `row/reward`: the reward, which no later stage changes; `row/tokens`: those of the
 * answer; `row/parent`: the shown answer that it is compared with. `keptLogp` is missing without filters.
 */
const attemptColumns = [
  'promptId',
  'problem',
  'prompt',
  'groupId',
  'sample',
  'weight',
  'tokens',
  'mask',
  'behaviorLogp',
  'keptLogp',
  'completion',
  'ended',
  'shown',
  'reward/total',
  'credit/earned',
  'row/round',
  'row/base',
  'row/prompt',
  'row/reward',
  'row/tokens',
  'row/parent',
  'row/initial',
] as const satisfies readonly Column[];
type Sources = Pick<Columns, 'promptId' | 'problem' | 'prompt'>;

/** One row to be sampled. */
interface Asked {
  /** Place of its problem in the batch. */
  readonly place: number;
  readonly group: number;
  /** Null: the plain prompt. */
  readonly shown: ShownPrompt | null;
  readonly base: number;
  /** Number of the answer that it revises among those to its prompt; −1 without one. */
  readonly parent: number;
}

class Rounds {
  readonly tried: Tried[][];
  readonly #sources: Sources;
  readonly #stack: RewardStack<'total'>;
  readonly #context: StageContext;
  readonly #reasons: boolean;
  readonly #given = new Map<string, number>();
  table: Table = {};
  raw: { [scorer: string]: Float64Array } = {};
  groups = 0;

  constructor(sources: Sources, stack: RewardStack<'total'>, context: StageContext, reasons: boolean) {
    this.#reasons = reasons;
    this.#sources = sources;
    this.#stack = context.rewards ?? stack;
    this.#context = context;
    this.tried = sources.problem.map(() => []);
  }

  /** Samples, scores and keeps the rows of a round; `initial`: the initial model writes them. */
  async add(
    asked: readonly Asked[],
    round: number,
    write: ModelPort['sample'],
    initial: boolean,
  ): Promise<void> {
    if (asked.length === 0) return;
    const { text, progress } = this.#context;
    const from = Uint32Array.from(asked, ({ place }) => place);
    const problem = gather(this.#sources.problem, from);
    const prompt = gather(this.#sources.prompt, from);
    const starts = ragged(asked, Int32Array, ({ shown }, r) => shown?.tokens ?? rowOf(prompt, r));
    const sample = Float64Array.from(problem, (each) => this.#number(each));
    const { weight = new Float64Array(asked.length).fill(1), ...answers } = await write(
      starts,
      problem,
      sample,
    );
    const groupId = Float64Array.from(asked, ({ group }) => group);
    // scorers read the answer behind the problem's own prompt
    const plain = withPrompts(
      answers,
      asked.map((_, r) => rowOf(prompt, r)),
    );
    const scored = await this.#stack.score({ ...answers, ...plain, problem, groupId }, progress);
    const columns = {
      ...answers,
      promptId: gather(this.#sources.promptId, from),
      problem,
      prompt,
      groupId,
      sample,
      weight,
      shown: asked.map(({ shown }) => shown?.text ?? ''),
      'reward/total': scored.value,
      'credit/earned': earnedOf(scored, answers, text),
      'row/round': new Float64Array(asked.length).fill(round),
      'row/base': Float64Array.from(asked, ({ base }) => base),
      'row/prompt': Float64Array.from(from),
      'row/reward': scored.value.slice(),
      'row/tokens': maskedCounts(answers.mask),
      'row/parent': Float64Array.from(asked, ({ parent }) => parent),
      'row/initial': new Float64Array(asked.length).fill(Number(initial)),
    };
    this.table = appendRows(this.table, columns);
    for (const [scorer, values] of Object.entries(scored.raw))
      this.raw[scorer] = Float64Array.of(...(this.raw[scorer] ?? []), ...values);
    await this.#remember(asked, { ...answers, sample }, problem, { ...scored, round });
  }

  async #remember(
    asked: readonly Asked[],
    { completion, sample }: Pick<Columns, 'completion' | 'sample'>,
    problem: readonly Problem[],
    { value, raw, round }: Awaited<ReturnType<RewardStack['score']>> & { readonly round: number },
  ): Promise<void> {
    const reasons = this.#reasons
      ? await this.#context.reasons(
          completion.map((text, r) => ({ prompt: problem[r].prompt, completion: text })),
        )
      : completion.map(() => '');
    asked.forEach(({ place }, r) => {
      this.tried[place].push({
        text: completion[r],
        reward: value[r],
        reason: reasons[r],
        round,
        sample: sample[r],
        scores: Object.fromEntries(Object.entries(raw).map(([scorer, values]) => [scorer, values[r]])),
      });
    });
  }

  /** Numbers the answers to a prompt 0, 1, …, so that no two draws of it are the same. */
  #number({ promptId }: Problem): number {
    const number = this.#given.get(promptId) ?? 0;
    this.#given.set(promptId, number + 1);
    return number;
  }
}

/** The place of the next other prompt of a batch; its own where there is none. */
const anotherOf = (problems: readonly Problem[], place: number): number =>
  problems
    .map((_each, step) => (place + step) % problems.length)
    .find((other) => problems[other].promptId !== problems[place].promptId) ?? place;

const attempts = async (
  sources: Sources,
  stack: RewardStack<'total'>,
  { first, rounds, next, reasons = false, swapped = false, beside = 0 }: AttemptPlan,
  context: StageContext,
  initial?: ModelPort,
) => {
  const { problem } = sources;
  const made = new Rounds(sources, stack, context, reasons);
  const sizes = context.control.sizes(problem, first, context);
  const plain = (counts: readonly number[]) =>
    counts.flatMap((size, place) =>
      Array.from({ length: size }, (): Asked => ({ place, group: place, shown: null, base: 0, parent: -1 })),
    );
  await made.add(plain(sizes), 0, initial?.sample ?? context.sample, initial !== undefined);
  made.groups = problem.length;
  for (let round = 1; round <= rounds; round++) {
    const random = context.random(`attempts of round ${round}`);
    const more = problem.flatMap((each, place) =>
      next(each, made.tried[swapped ? anotherOf(problem, place) : place], round, random).flatMap(
        ({ template, shows, answers = 1, base }): Asked[] => {
          const shown = fitted(template, each, shows, context.text);
          const group = made.groups++;
          return Array.from({ length: answers }, () => {
            const at = base === undefined && shows.length > 0 ? random.int(shows.length) : 0;
            const compared = shows.at(at);
            const isShown = shown !== null && at >= shown.leftOut && !swapped;
            return {
              place,
              group,
              shown,
              base: base ?? compared?.reward ?? 0,
              parent: (isShown ? compared?.sample : undefined) ?? -1,
            };
          });
        },
      ),
    );
    await made.add(more, round, context.sample, false);
  }
  await made.add(plain(problem.map(() => beside)), -1, context.sample, false);
  if (!('row/prompt' in made.table))
    throw new WhetstoneError('internal', 'A controller gave no prompt an answer.');
  return {
    columns: made.table as Pick<Columns, (typeof attemptColumns)[number]>,
    from_R: Uint32Array.from(made.table['row/prompt'] as Float64Array),
    raw: made.raw,
  };
};

const sources = ['promptId', 'problem', 'prompt'] as const;

/**
 * Answers of the role's own model in rounds: `first` to each prompt, then as many rounds of answers to
 * prompts that show earlier ones (`next`). Each prompt's answers are a group, and are scored as answers to
 * the plain prompt. A prompt that would exceed the context shows fewer answers, or none: it is the plain one
 * then (`shown` is '').
 */
export const sampleAttempts = (stack: RewardStack<'total'>, plan: AttemptPlan) =>
  stage({
    id: `sampleAttempts(${plan.first}, ${plan.rounds})`,
    station: 'sampler',
    needs: sources,
    adds: attemptColumns,
    run: (rows, context) => attempts(rows, stack, plan, context),
  });

/** The same with the first answers by the run's initial model, which `row/initial` marks. */
export const sampleInitialAttempts = (stack: RewardStack<'total'>, plan: AttemptPlan) =>
  stage({
    id: `sampleInitialAttempts(${plan.first}, ${plan.rounds})`,
    station: 'sampler',
    needs: [...sources, 'model/initial'],
    adds: attemptColumns,
    run: ({ 'model/initial': initial, ...rows }, context) => attempts(rows, stack, plan, context, initial),
  });
