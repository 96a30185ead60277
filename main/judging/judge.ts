import { WhetstoneError } from '../../engine/common/errors.ts';
import type { JudgeFit } from '../../engine/schema/judge.ts';
import type { JudgeStatus } from '../../preload/contract/judge.ts';
import { judgedFrom } from '../../preload/wire/judge.ts';
import { mostStored, type LabelRow } from '../store/labels/label-judge.ts';
import { stopped, unlessAborted } from './aborted.ts';
import { FeatureFiles } from './features.ts';
import { sourceOf, type JudgeSources } from './sources.ts';
import { statusOf, type Step } from './status.ts';
import { dueWork, needsJudge, orderKey, type JudgeState } from './work.ts';

/** Time after a label until the judge looks for work, so that a burst of labels is one look, in milliseconds. */
const AFTER_LABEL_MS = 200;
/** Least time between two reports of progress, in milliseconds. */
const REPORT_MS = 200;

const targets = { a: 1, b: 0, tie: 0.5 } as const;
type Judged = LabelRow & { readonly verdict: keyof typeof targets };
const isJudged = (label: LabelRow): label is Judged => label.verdict in targets;

/**
 * Follows the labels of one set: computes missing features, fits the judge and orders the queue, one step
 * after the other, while it is watched or a fit was asked for. An error ends its work until the next label.
 */
export class Judge {
  readonly #sources: JudgeSources;
  readonly #setId: string;
  readonly #listeners = new Set<(status: JudgeStatus) => void>();
  #files: FeatureFiles | null = null;
  #step: Step = { state: 'ready', share: 0 };
  #error: WhetstoneError | null = null;
  #work: { readonly stop: AbortController; readonly done: Promise<void> } | null = null;
  /** True if something has changed since the work that is in progress began. */
  #isStale = false;
  #isForced = false;
  /** Called when the fit that was asked for and its order are there. */
  #settle: () => void = () => undefined;
  /** The newest event whose labels have features. */
  #readUpTo = 0;
  #timer: NodeJS.Timeout | null = null;
  #reportedAt = 0;
  #reporting: Promise<void> = Promise.resolve();

  constructor(sources: JudgeSources, setId: string) {
    this.#sources = sources;
    this.#setId = setId;
  }

  status(): Promise<JudgeStatus> {
    const working = this.#work !== null;
    const [error, files] = [this.#error, this.#files];
    return statusOf(this.#sources, this.#setId, { ...this.#step, working, error, files });
  }

  /** Calls `listener` at every change, and works while there is one; returns a function that unsubscribes. */
  watch(listener: (status: JudgeStatus) => void): () => void {
    this.#listeners.add(listener);
    this.changed();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0 && !this.#isForced) this.cancel();
    };
  }

  /** A label of some set was stored. */
  noticed(): void {
    if (this.#listeners.size === 0 || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.changed();
    }, AFTER_LABEL_MS);
  }

  /** Looks for work, after that in progress. */
  changed(): void {
    this.#error = null;
    this.#isStale = true;
    if (this.#work) return;
    const stop = new AbortController();
    this.#work = { stop, done: this.#keepUp(stop.signal) };
  }

  /** Settings have changed: work in progress is for the old ones. */
  restart(): void {
    this.cancel();
    if (this.#listeners.size > 0) this.changed();
  }

  /**
   * Fits the judge now, and orders the queue. Throws `invalid-input` for too few decisions, and `cancelled`
   * if the signal aborts.
   */
  async fit(signal: AbortSignal): Promise<void> {
    const { decided, mode } = await this.#state();
    if (mode !== 'pair')
      throw new WhetstoneError('unsupported', 'A judge learns from choices between two answers only.', {
        where: this.#setId,
        hint: 'Make a set of pairs.',
      });
    if (decided < judgedFrom)
      throw new WhetstoneError(
        'invalid-input',
        `A judge is fitted from ${judgedFrom} decisions on; this set has ${decided}.`,
        { where: this.#setId, hint: 'Label more pairs.' },
      );
    const cancel = (): void => this.cancel();
    signal.addEventListener('abort', cancel);
    try {
      if (signal.aborted) throw stopped();
      this.#isForced = true;
      const settled = Promise.withResolvers<void>();
      this.#settle = settled.resolve;
      this.changed();
      await Promise.race([settled.promise, this.#work?.done]);
      const failure = signal.aborted ? stopped() : this.#failure;
      if (failure) throw failure;
    } finally {
      this.#isForced = false;
      signal.removeEventListener('abort', cancel);
    }
  }

  get #failure(): WhetstoneError | null {
    return this.#error;
  }

  /** Ends the work in progress; the next label starts it again. */
  cancel(): void {
    this.#work?.stop.abort();
  }

  /** Ends all work. */
  async close(): Promise<void> {
    this.#listeners.clear();
    if (this.#timer) clearTimeout(this.#timer);
    this.cancel();
    await this.#work?.done;
  }

  async #keepUp(signal: AbortSignal): Promise<void> {
    try {
      while (this.#isStale && !signal.aborted) {
        this.#isStale = false;
        while (await this.#next(signal));
      }
    } catch (error) {
      const reason = WhetstoneError.from(error);
      if (reason.kind !== 'cancelled') this.#error = reason;
    } finally {
      this.#work = null;
      this.#isForced = false;
      this.#report({ state: 'ready', share: 0 });
      // something changed after the work was cancelled
      if (this.#isStale && signal.aborted && this.#listeners.size > 0) this.changed();
    }
  }

  async #state(): Promise<JudgeState & { readonly source: string }> {
    const { model } = await this.#sources.store.labelJudge.settings(this.#setId);
    const source = await sourceOf(this.#sources, model);
    return { ...(await this.#sources.store.labelJudge.state(this.#setId, source)), source };
  }

  /** Does the next step that is due; returns whether there may be another. */
  async #next(signal: AbortSignal): Promise<boolean> {
    const state = await this.#state();
    if (state.mode !== 'pair') return false;
    const { source, settings } = state;
    if (this.#files?.source !== source) {
      this.#files = await FeatureFiles.open(this.#sources, this.#setId, source, settings.model);
      this.#readUpTo = 0;
    }
    const files = this.#files;
    const open =
      settings.order === 'random'
        ? new Float64Array()
        : await this.#sources.store.labelJudge.unlabeled(this.#setId, -1, settings.candidates);
    const missing = files.missing(open);
    const candidates = { read: files.holding(open), isAll: missing.length === 0 };
    const work = dueWork(state, source, { isForced: this.#isForced, candidates });
    if (work === 'fit') {
      await this.#fit(state, files, signal);
      this.#isForced = false;
    } else if (work === 'order') await this.#order(state, files, open, signal);
    else if (work === 'clear') await this.#sources.store.labelJudge.clearOrder(this.#setId);
    else if (work === null) {
      this.#settle();
      await this.#readAhead(state, files, signal);
    }
    if (work !== null && work !== 'read') return true;
    // one part, since something else may be due after it
    if (missing.length > 0) await this.#readPart(files, missing, signal);
    return missing.length > 0;
  }

  /** Computes the first of the missing parts of the candidates. */
  async #readPart(files: FeatureFiles, missing: readonly number[], signal: AbortSignal): Promise<void> {
    const done = 1 - missing.length / (missing.length + files.count);
    const report = (share: number): void =>
      this.#report({ state: 'features', share: done + share / (missing.length + files.count) });
    report(0);
    await files.compute(missing[0], signal, report);
  }

  /** Computes features of new labels ahead of the fit that will need them. */
  async #readAhead(state: JudgeState, files: FeatureFiles, signal: AbortSignal): Promise<void> {
    const labels = await this.#labels(state, this.#readUpTo);
    await this.#read(
      files,
      labels.map(({ position }) => position),
      signal,
    );
    this.#readUpTo = state.sequence;
  }

  /** Labels of the set that a judge learns from, newer than the event `after`. */
  async #labels({ sequence }: JudgeState, newerThan = 0): Promise<Judged[]> {
    const labels: Judged[] = [];
    for (let after = newerThan; ;) {
      const page = await this.#sources.store.labelJudge.labels(this.#setId, after, sequence);
      labels.push(...page.filter(isJudged));
      const last = page.at(-1);
      if (!last) return labels;
      after = last.sequence;
    }
  }

  async #fit(
    state: JudgeState & { readonly source: string },
    files: FeatureFiles,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, engine } = this.#sources;
    const labels = await this.#labels(state);
    await this.#read(
      files,
      labels.map(({ position }) => position),
      signal,
    );
    this.#report({ state: 'fitting', share: 0 });
    const input = {
      features: files.stored(),
      labels: {
        positions: Float64Array.from(labels, ({ position }) => position),
        targets: Float64Array.from(labels, ({ verdict }) => targets[verdict]),
        prompts: labels.map(({ prompt_id: prompt }) => prompt),
      },
      seed: state.seed,
    };
    const fit = await unlessAborted(
      signal,
      engine.background('fitJudge', input, signal, ({ share }) => this.#report({ state: 'fitting', share })),
    );
    await this.#storeOpinions(labels, fit);
    await store.labelJudge.addFit(this.#setId, state.source, {
      ...fit,
      sequence: state.sequence,
      labels: labels.length - fit.leftOut,
    });
  }

  async #storeOpinions(labels: readonly Judged[], { probabilities }: JudgeFit): Promise<void> {
    const opinions = labels.flatMap(({ pair_id: pairId, sequence, verdict }, at) =>
      Number.isFinite(probabilities[at])
        ? [{ pairId, sequence, verdict, probability: probabilities[at] }]
        : [],
    );
    for (let from = 0; from < opinions.length; from += mostStored)
      await this.#sources.store.labelJudge.addOpinions(this.#setId, opinions.slice(from, from + mostStored));
  }

  /** Computes all missing parts with these positions. */
  async #read(files: FeatureFiles, positions: readonly number[], signal: AbortSignal): Promise<void> {
    const missing = files.missing(positions);
    for (const [at, first] of missing.entries()) {
      const report = (share: number): void =>
        this.#report({ state: 'features', share: (at + share) / missing.length });
      report(0);
      await files.compute(first, signal, report);
    }
  }

  /** Orders the queue among the unlabeled items that have features. */
  async #order(
    state: JudgeState & { readonly source: string },
    files: FeatureFiles,
    open: Float64Array,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, engine } = this.#sources;
    const { settings, source, sequence, fit } = state;
    const labels = await this.#labels(state);
    await this.#read(
      files,
      labels.map(({ position }) => position),
      signal,
    );
    const positions = Float64Array.from([...open, ...labels.map(({ position }) => position)]);
    this.#report({ state: 'ordering', share: 0 });
    const head = await store.labelJudge.head(this.#setId, source);
    const order = {
      id: settings.order,
      params: settings.params,
      seed: state.seed,
      positions,
      labeled: Uint8Array.from(positions, (_position, at) => Number(at >= open.length)),
      most: mostStored,
    };
    const ordered = await unlessAborted(
      signal,
      engine.background('orderQueue', { features: files.stored(), head, order }, signal),
    );
    await store.labelJudge.setOrder(
      this.#setId,
      {
        settings: orderKey(settings, source),
        sequence,
        fitSequence: needsJudge(settings.order) ? (fit?.sequence ?? null) : null,
        candidates: files.holding(open),
      },
      ordered,
    );
  }

  #report(step: Step): void {
    const now = performance.now();
    const isProgress = step.state === this.#step.state && step.state !== 'ready';
    this.#step = step;
    if (this.#listeners.size === 0 || (isProgress && now - this.#reportedAt < REPORT_MS)) return;
    this.#reportedAt = now;
    this.#reporting = this.#reporting.then(async () => {
      try {
        const status = await this.status();
        for (const listener of this.#listeners) listener(status);
      } catch {
        // the set was removed, or the workspace closed: the calls of the page say so
        this.#listeners.clear();
      }
    });
  }
}
