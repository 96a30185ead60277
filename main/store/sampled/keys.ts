import { createHash } from 'node:crypto';

/** 53 bits of a text's hash, which a number holds exactly. */
export function textKey(text: string): number {
  const bytes = createHash('sha1').update(text).digest();
  return bytes.readUIntBE(0, 6) * 32 + (bytes[6] >>> 3);
}

/** Largest share of the places that are in use. */
const fullest = 0.6;

/**
 * The first row of each key: a hash table of typed arrays, since a Map of a million numbers takes several
 * times as long. A key has two parts, of which the second is a row.
 */
export class FirstRows {
  #keys = new Float64Array(1024);
  #seconds = new Int32Array(1024);
  #rows = new Int32Array(1024).fill(-1);
  #count = 0;

  /** The first row that was asked for with this key: `row` itself if there is none before. */
  first(key: number, second: number, row: number): number {
    const place = this.#place(key, second);
    if (this.#rows[place] >= 0) return this.#rows[place];
    this.#keys[place] = key;
    this.#seconds[place] = second;
    this.#rows[place] = row;
    this.#count += 1;
    if (this.#count > fullest * this.#rows.length) this.#grow();
    return row;
  }

  #place(key: number, second: number): number {
    const last = this.#rows.length - 1;
    let place = (Math.imul((key | 0) ^ Math.imul(second, 0x85eb_ca6b), 0x9e37_79b1) >>> 7) & last;
    while (this.#rows[place] >= 0 && (this.#keys[place] !== key || this.#seconds[place] !== second))
      place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const [keys, seconds, rows] = [this.#keys, this.#seconds, this.#rows];
    const size = 4 * rows.length;
    [this.#keys, this.#seconds] = [new Float64Array(size), new Int32Array(size)];
    this.#rows = new Int32Array(size).fill(-1);
    for (const [at, row] of rows.entries()) {
      if (row < 0) continue;
      const place = this.#place(keys[at], seconds[at]);
      this.#keys[place] = keys[at];
      this.#seconds[place] = seconds[at];
      this.#rows[place] = row;
    }
  }
}

/** For each row the first one with the same prompt, and the first one with the same prompt and answer. */
export class EqualAnswers {
  readonly #prompts = new FirstRows();
  readonly #answers = new FirstRows();

  /** Adds the rows from `from` on, with the keys of their texts. */
  add(
    from: number,
    promptKeys: Float64Array,
    answerKeys: Float64Array,
  ): { readonly prompts: Float64Array; readonly answers: Float64Array } {
    const prompts = new Float64Array(promptKeys.length);
    const answers = new Float64Array(promptKeys.length);
    for (let at = 0; at < prompts.length; at += 1) {
      prompts[at] = this.#prompts.first(promptKeys[at], 0, from + at);
      answers[at] = this.#answers.first(answerKeys[at], prompts[at], from + at);
    }
    return { prompts, answers };
  }
}
