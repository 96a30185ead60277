/** Samples answers with the help of a smaller draft model: several tokens for one pass of the sampled model. */
import { stream, type RandomStream } from '../../random/random.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { specials } from '../../text/tokenizer.ts';
import { lastLogits } from '../logits.ts';
import type { Model } from '../model.ts';
import { acceptedPath, draftTrees, nodesOf, type Distributions } from './draft-tree.ts';
import { truncates } from './filters.ts';
import {
  advance,
  isHooked,
  shareWritten,
  sharpnessOf,
  waitingRows,
  type Answer,
  type GenerateOptions,
  type PartialAnswer,
} from './rows.ts';

const mostRows = 64;

/** Throws `unsupported` for options under which the target's law is not that of one model at a temperature. */
const checkDraft = (options: GenerateOptions, draft: Model): void => {
  const refuse = (message: string, hint: string) => {
    throw new WhetstoneError('unsupported', message, { where: 'draft', hint });
  };
  if (options.greedy === true || options.temperature === 0)
    refuse('Greedy answers are not drafted.', 'Choose a temperature above 0, or leave the draft model out.');
  if (isHooked(options) || truncates(options.filters))
    refuse(
      'A draft model drafts for a plain distribution.',
      'Leave out filters, grammars, guides and steering.',
    );
  if (options.model.config.softPrompt)
    refuse('A model with a soft prompt is not drafted for.', 'Leave the draft model out.');
  const { head, vocabulary } = draft.config;
  if (head !== 'next-token' || vocabulary !== options.model.config.vocabulary)
    refuse('The draft model does not write with the same tokens.', 'Choose a model with the same tokenizer.');
};

/**
 * Recursive speculative decoding: rounds of trees of drafts, all rows at once. Every pass reads whole texts, so
 * it saves passes of the sampled model and not its arithmetic. Draws are keyed by the row and its place in the answer.
 */
export class SpeculativeGenerator {
  readonly answers: Answer[] = [];
  /** Passes of rows through the sampled model, and the tokens that they gave: the block efficiency. */
  readonly spent = { passes: 0, tokens: 0 };
  readonly #options: GenerateOptions;
  readonly #draft: NonNullable<GenerateOptions['draft']>;
  readonly #waiting: PartialAnswer[];
  #rows: PartialAnswer[] = [];

  constructor(options: GenerateOptions, draft: NonNullable<GenerateOptions['draft']>) {
    checkDraft(options, draft.model);
    this.#options = options;
    this.#draft = draft;
    this.#waiting = waitingRows(options);
  }

  get done(): boolean {
    return this.#waiting.length === 0 && this.#rows.length === 0;
  }

  /** Progress, 0–1. */
  get share(): number {
    return shareWritten(this.#waiting, this.#rows, this.#options.rows);
  }

  async admit(): Promise<void> {
    this.#rows.push(...this.#waiting.splice(0, mostRows - this.#rows.length));
  }

  /** A model's distributions after texts, at the temperature of their next token. */
  #distributions(model: Model): Distributions {
    const sharpness = sharpnessOf(this.#options);
    return async (nodes) => {
      const texts = nodes.map(({ row, path }) => [
        ...this.#rows[row].prompt,
        ...this.#rows[row].made,
        ...path,
      ]);
      const logits = await lastLogits(this.#options.device, model, texts);
      return logits.map((own, at) => {
        const { row, path } = nodes[at];
        const top = own.reduce((most, x) => Math.max(most, x), -Infinity);
        const by = sharpness(this.#rows[row].made.length + path.length);
        const weights = Float64Array.from(own, (x) => Math.exp((x - top) * by));
        const total = weights.reduce((a, b) => a + b, 0);
        return weights.map((x) => x / total);
      });
    };
  }

  /** One tree for each row, and the tokens that the sampled model accepts of it. */
  async advance(): Promise<void> {
    const { model, ends = [specials.end] } = this.#options;
    const isEnd = (token: number) => ends.includes(token);
    const random = this.#rows.map((row) => this.#randomOf(row));
    const trees = await draftTrees(
      this.#rows.length,
      {
        branching: this.#draft.branching,
        // the token after the accepted ones needs room too
        depth: (row) => this.#rows[row].limit - this.#rows[row].made.length - 1,
        ends: isEnd,
      },
      this.#distributions(this.#draft.model),
      (row) => random[row],
    );
    const nodes = trees.flatMap((root, row) => nodesOf(root).map((node) => ({ row, node })));
    const unended = nodes.filter(({ node: { path } }) => path.length === 0 || !isEnd(path[path.length - 1]));
    const read = await this.#distributions(model)(unended.map(({ row, node: { path } }) => ({ row, path })));
    const target = new Map(unended.map(({ node }, at) => [node, read[at]]));
    const open: PartialAnswer[] = [];
    this.#rows.forEach((row, at) => {
      const made = acceptedPath(trees[at], (node) => target.get(node)!, isEnd, random[at]);
      this.spent.passes++;
      this.spent.tokens += made.length;
      let answer: Answer | undefined;
      for (const { token, target: p } of made) answer ??= advance(row, token, Math.log(p[token]), ends);
      if (answer) this.answers[row.index] = answer;
      else open.push(row);
    });
    this.#rows = open;
  }

  /** Numbers of a row's round, keyed by the tokens that it has: they do not depend on the other rows. */
  #randomOf({ made, key: { seed, purpose, step, prompt, sample } }: PartialAnswer): RandomStream {
    return stream(seed, `drafts of ${purpose}, from token ${made.length}`, step, prompt, sample);
  }
}
