/** Answers that grow from one another: each begins at its prompt or inside an earlier one. */
import type {
  Answers,
  Columns,
  PerToken,
  Problem,
  SampleOptions,
  TokenValues,
} from '../../kernel/columns.ts';
import { ragged, rowOf } from '../../kernel/rows.ts';
import type { StageContext } from '../../kernel/stage.ts';

/** Where an answer begins: at a prompt, or behind the first tokens of an earlier answer to it. */
export interface Start {
  /** Place of the prompt. */
  readonly place: number;
  /** Number of the answer that it continues, and how many of its tokens are kept. */
  readonly from?: number;
  readonly kept?: number;
  /** Tokens that are given behind these. */
  readonly added?: readonly number[];
}

/** A grown answer; token lists include the prompt. */
export interface Grown {
  readonly place: number;
  readonly problem: Problem;
  readonly prompt: readonly number[];
  readonly tokens: Int32Array;
  readonly mask: Uint8Array;
  readonly logp: Float32Array;
  readonly keptLogp?: Float32Array;
  readonly completion: string;
  readonly ended: number;
  readonly weight: number;
  readonly sample: number;
  /** Answer tokens, a given beginning included, and how many of them were given. */
  readonly answer: readonly number[];
  readonly given: number;
}

type Source = Pick<Columns, 'problem' | 'prompt'>;

/** The answers to a batch of prompts. A prompt drawn twice has different answers. */
export class Forest {
  readonly answers: Grown[] = [];
  readonly #source: Source;
  readonly #context: Pick<StageContext, 'sample' | 'answerId' | 'text'>;
  readonly #numbers = new Map<string, number>();

  constructor(source: Source, context: Pick<StageContext, 'sample' | 'answerId' | 'text'>) {
    this.#source = source;
    this.#context = context;
  }

  /** Samples an answer from each start; returns their numbers. Tokens are continued as they are. */
  async grow(starts: readonly Start[]): Promise<readonly number[]> {
    if (starts.length === 0) return [];
    const begun = starts.map((start) => this.#begun(start));
    const sample = Float64Array.from(begun, ({ problem }) => this.#number(problem));
    const problems = begun.map(({ problem }) => problem);
    const written = await this.#context.sample(
      ragged(begun, Int32Array, ({ prompt }) => prompt),
      problems,
      sample,
      continuing(problems, this.#context.text.maxTokens),
    );
    return begun.map((start, r) => this.answers.push(grown(start, written, { r, sample: sample[r] })) - 1);
  }

  #number({ promptId }: Problem): number {
    const number = this.#numbers.get(promptId) ?? 0;
    this.#numbers.set(promptId, number + 1);
    return number;
  }

  #begun({ place, from, kept = 0, added = [] }: Start): Begun {
    const whole = this.#source.problem[place];
    const prompt = [...rowOf(this.#source.prompt, place)];
    if (from === undefined || kept + added.length === 0)
      return { place, problem: whole, prompt, own: prompt.length - (whole.hint?.tokens.length ?? 0) };
    const { answer, sample, problem } = this.answers[from];
    const own = prompt.slice(0, prompt.length - (whole.hint?.tokens.length ?? 0));
    const tokens = [...answer.slice(0, kept), ...added];
    const parent = this.#context.answerId(problem.promptId, sample);
    const hint = { share: kept / Math.max(1, answer.length), tokens, parent };
    return { place, problem: { ...whole, hint }, prompt: [...own, ...tokens], own: own.length };
  }

  /** The rows, prompt by prompt; `groupId` is the prompt's place. */
  change(): {
    readonly columns: Omit<Answers, 'weight'> & Pick<Columns, SampledFrom>;
    readonly from_R: Uint32Array;
    /** The number of each row's answer. */
    readonly order: readonly number[];
  } {
    const order = [...this.answers.keys()].sort(
      (a, b) => this.answers[a].place - this.answers[b].place || a - b,
    );
    return {
      order,
      from_R: Uint32Array.from(order, (number) => this.answers[number].place),
      columns: columnsOf(order.map((number) => this.answers[number])),
    };
  }
}

/** Columns of a forest besides those of its answers. */
type SampledFrom = 'problem' | 'prompt' | 'groupId' | 'sample' | 'weight' | 'row/given';
export const forestColumns = [
  'problem',
  'prompt',
  'groupId',
  'sample',
  'weight',
  'tokens',
  'mask',
  'behaviorLogp',
  'completion',
  'ended',
  'row/given',
] as const;

interface Begun {
  readonly place: number;
  readonly problem: Problem;
  /** The prompt with the given beginning; tokens of the prompt alone. */
  readonly prompt: readonly number[];
  readonly own: number;
}

const grown = (
  { place, problem, prompt, own }: Begun,
  written: Answers,
  { r, sample }: { readonly r: number; readonly sample: number },
): Grown => {
  const of = <V extends TokenValues>(column: PerToken<V>): V => rowOf(column, r).slice() as V;
  const tokens = of(written.tokens);
  return {
    place,
    problem,
    prompt,
    tokens,
    mask: of(written.mask),
    logp: of(written.behaviorLogp),
    ...(written.keptLogp && { keptLogp: of(written.keptLogp) }),
    completion: written.completion[r],
    ended: written.ended[r],
    weight: written.weight?.[r] ?? 1,
    sample,
    answer: [...tokens.subarray(own)],
    given: prompt.length - own,
  };
};

/** Grown answers as columns of a batch. */
export const columnsOf = (rows: readonly Grown[]) => ({
  problem: rows.map(({ problem }) => problem),
  prompt: ragged(rows, Int32Array, ({ prompt }) => prompt),
  groupId: Float64Array.from(rows, ({ place }) => place),
  sample: Float64Array.from(rows, ({ sample }) => sample),
  weight: Float64Array.from(rows, ({ weight }) => weight),
  tokens: ragged(rows, Int32Array, ({ tokens }) => tokens),
  mask: ragged(rows, Uint8Array, ({ mask }) => mask),
  behaviorLogp: ragged(rows, Float32Array, ({ logp }) => logp),
  ...(rows[0]?.keptLogp && { keptLogp: ragged(rows, Float32Array, ({ keptLogp = [] }) => keptLogp) }),
  completion: rows.map(({ completion }) => completion),
  ended: Float64Array.from(rows, ({ ended }) => ended),
  'row/given': Float64Array.from(rows, ({ given }) => given),
});

/**
 * The longest continuation of each row, so that an own answer that is begun again becomes no longer than one
 * from the prompt; undefined without such rows.
 */
export const continuing = (problem_R: readonly Problem[], maxTokens: number): SampleOptions | undefined =>
  problem_R.some(({ hint }) => hint?.parent !== undefined)
    ? {
        limits: problem_R.map(({ hint }) =>
          hint?.parent === undefined ? maxTokens : Math.max(1, maxTokens - hint.tokens.length),
        ),
      }
    : undefined;
