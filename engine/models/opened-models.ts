/** The models that a run has opened: equal weights are in memory once. */
import { openModelFolder, type OpenFolder } from './checkpoint.ts';
import { readWhole, type ReadWhole } from './folder.ts';
import type { Model } from './model.ts';

interface Opened {
  readonly model: Model;
}

/** An opened model without a hold on its arrays, which go when nothing else uses them. */
class Remembered<T extends Opened> {
  readonly #rest: T;
  readonly #parameters: WeakRef<Model['parameters']>;
  readonly #quantized: WeakRef<NonNullable<Model['quantized']>> | undefined;
  readonly #adapted: WeakRef<Model['parameters']> | undefined;

  constructor({ model: { parameters, quantized, adapter, ...model }, ...rest }: T) {
    const { parameters: adapted, ...settings } = adapter ?? {};
    this.#rest = { ...rest, model: { ...model, ...(adapter && { adapter: settings }) } } as unknown as T;
    this.#parameters = new WeakRef(parameters);
    this.#quantized = quantized && new WeakRef(quantized);
    this.#adapted = adapted && new WeakRef(adapted);
  }

  /** What was opened; undefined if some of its arrays are gone. */
  get opened(): T | undefined {
    const parameters = this.#parameters.deref();
    const quantized = this.#quantized?.deref();
    const adapted = this.#adapted?.deref();
    if (!parameters || (this.#quantized && !quantized) || (this.#adapted && !adapted)) return undefined;
    const { model } = this.#rest;
    return {
      ...this.#rest,
      model: {
        ...model,
        parameters,
        ...(quantized && { quantized }),
        ...(model.adapter && adapted && { adapter: { ...model.adapter, parameters: adapted } }),
      },
    };
  }
}

/**
 * Opens models, and those whose arrays are still in use only once. Whoever writes to a model clones it first:
 * its arrays may be those of a frozen role, of a judge, or of the base of several adapters.
 */
export class OpenedModels {
  readonly #known = new Map<string, Remembered<Opened>>();
  readonly #pending = new Map<string, Promise<Opened>>();

  /** As `openModelFolder` opens it. */
  readonly folder: OpenFolder = (folder, putPrompts, format, base) =>
    this.once(JSON.stringify(['folder', folder, putPrompts, format, base]), () =>
      openModelFolder(folder, putPrompts, format, base, this.#read),
    );

  readonly #read: ReadWhole = async (folder, format = 'float32') => {
    const key = JSON.stringify(['weights', folder, format]);
    return (await this.once(key, async () => ({ model: await readWhole(folder, format) }))).model;
  };

  /** What `open` makes; the same arrays for the same key. */
  async once<T extends Opened>(key: string, open: () => Promise<T>): Promise<T> {
    const found = this.#pending.get(key) ?? this.#known.get(key)?.opened;
    // a key belongs to one kind of opening
    if (found) return found as Promise<T> | T;
    const opening = open();
    this.#pending.set(key, opening);
    try {
      const opened = await opening;
      this.#known.set(key, new Remembered<Opened>(opened));
      return opened;
    } finally {
      this.#pending.delete(key);
    }
  }
}
