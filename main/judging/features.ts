import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredFeatures } from '../../engine/schema/judge.ts';
import type { PairTexts } from '../../engine/schema/messages.ts';
import { writeWhole } from '../store/files.ts';
import type { FeatureFile } from '../store/labels/label-judge.ts';
import { fileMode, folderMode } from '../store/private.ts';
import { unlessAborted } from './aborted.ts';
import type { JudgeSources, ModelRef } from './sources.ts';

/** Pairs of a file: the work that is lost on cancellation. */
const PART = { text: 512, model: 16 } as const;

/** Files of a set's features by one source. */
export class FeatureFiles {
  readonly source: string;
  readonly #sources: JudgeSources;
  readonly #setId: string;
  readonly #model: ModelRef | null;
  readonly #files = new Map<number, FeatureFile>();

  /** Opens the files that are in the workspace; one whose file is gone counts as missing. */
  static async open(
    sources: JudgeSources,
    setId: string,
    source: string,
    model: ModelRef | null,
  ): Promise<FeatureFiles> {
    const opened = new FeatureFiles(sources, setId, source, model);
    for (let after = -1; ;) {
      const page = await sources.store.labelJudge.features(setId, source, after);
      for (const file of page)
        if (existsSync(join(sources.folder, file.path))) opened.#files.set(file.first, file);
      const last = page.at(-1);
      if (!last) return opened;
      after = last.first;
    }
  }

  private constructor(sources: JudgeSources, setId: string, source: string, model: ModelRef | null) {
    this.source = source;
    this.#sources = sources;
    this.#setId = setId;
    this.#model = model;
  }

  get #size(): number {
    return this.#model === null ? PART.text : PART.model;
  }

  /** Number of files. */
  get count(): number {
    return this.#files.size;
  }

  /** Pairs with features, and those among them that are too long for the model. */
  get read(): { pairs: number; tooLong: number } {
    const files = [...this.#files.values()];
    return {
      pairs: files.reduce((sum, { count }) => sum + count, 0),
      tooLong: files.reduce((sum, { tooLong }) => sum + tooLong, 0),
    };
  }

  /** The files for the engine. */
  stored(): StoredFeatures {
    const files = [...this.#files.values()];
    return {
      files: files.map(({ path, first, count }) => ({
        path: join(this.#sources.folder, path),
        first,
        count,
      })),
      width: files[0]?.width ?? 0,
    };
  }

  /** How many of these positions are in a file. */
  holding(positions: Float64Array): number {
    return positions.reduce(
      (count, position) => count + Number(this.#files.has(position - (position % this.#size))),
      0,
    );
  }

  /** First positions of the parts without features that hold some of these positions, in their order. */
  missing(positions: Iterable<number>): number[] {
    const firsts = new Set<number>();
    for (const position of positions) {
      const first = position - (position % this.#size);
      if (!this.#files.has(first)) firsts.add(first);
    }
    return [...firsts];
  }

  /** Computes and stores the features of one part. Throws `cancelled` if the signal aborts. */
  async compute(first: number, signal: AbortSignal, report: (share: number) => void): Promise<void> {
    const { store, engine, folder, placeOf } = this.#sources;
    const pairs = await this.#texts(first);
    const model = this.#model && (await placeOf(this.#model));
    const { differences, width, tooLong } = await unlessAborted(
      signal,
      engine.background('pairFeatures', { model, pairs }, signal, ({ share }) => report(share)),
    );
    const bytes = new Uint8Array(differences.buffer, differences.byteOffset, differences.byteLength);
    const path = `artifacts/judge/${createHash('sha256').update(bytes).digest('hex')}.f32`;
    mkdirSync(join(folder, 'artifacts', 'judge'), { recursive: true, mode: folderMode });
    await writeWhole(join(folder, path), [bytes], fileMode);
    const file = { first, count: pairs.length, width, tooLong, path };
    await store.labelJudge.addFeatures(this.#setId, this.source, file);
    this.#files.set(first, file);
  }

  async #texts(first: number): Promise<PairTexts[]> {
    const texts: PairTexts[] = [];
    while (texts.length < this.#size) {
      const from = first + texts.length;
      const { pairs } = await this.#sources.store.labelSets.pairs(
        this.#setId,
        from,
        this.#size - texts.length,
      );
      if (pairs.length === 0) break;
      texts.push(...pairs.map(({ prompt, a, b }) => ({ prompt, a, b })));
    }
    return texts;
  }
}
