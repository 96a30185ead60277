import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import { chosenModel } from '../../../lib/model-choices.svelte.ts';
import { NumberEntry, seedBounds } from '../../../lib/number-entry.svelte.ts';

type Definition = Parameters<WhetstoneClient['columns']['preview']>[0]['definition'];

/** Options of sampling. */
export class SamplingDraft {
  readonly samples: NumberEntry;
  readonly temperature = new NumberEntry(1, { low: 0, high: 5 });
  readonly maxTokens = new NumberEntry(64, { integer: true, low: 1, high: 8192 });
  readonly seed = new NumberEntry(0, seedBounds);

  constructor(samples: number) {
    this.samples = new NumberEntry(samples, { integer: true, low: 1, high: 256 });
  }

  /** Null while one of them is no number. */
  get values() {
    const [samples, temperature] = [this.samples.value, this.temperature.value];
    const [maxTokens, seed] = [this.maxTokens.value, this.seed.value];
    return samples === null || temperature === null || maxTokens === null || seed === null
      ? null
      : { samples, temperature, maxTokens, seed };
  }
}

export const kinds = [
  { id: 'code', title: 'Code' },
  { id: 'reward', title: 'A reward or verifier' },
  { id: 'model', title: 'Score of a reward model' },
  { id: 'perplexity', title: 'Perplexity under a model' },
  { id: 'pass-rate', title: 'Pass rate of a model' },
  { id: 'spread', title: 'Spread of a model’s rewards' },
  { id: 'cluster', title: 'Cluster of the text' },
] as const;
export type Kind = (typeof kinds)[number]['id'];

/** The form of a column: how it is computed. */
export class ColumnDraft {
  name = $state('');
  kind = $state<Kind>('code');
  code = $state('answer.length');
  reward = $state('match/exact');
  model = $state('');
  readonly sampling = new SamplingDraft(4);
  readonly clusters = new NumberEntry(8, { integer: true, low: 2, high: 256 });
  usesModel = $derived(['model', 'perplexity', 'pass-rate', 'spread'].includes(this.kind));
  samplesAnswers = $derived(this.kind === 'pass-rate' || this.kind === 'spread');
  usesReward = $derived(this.kind === 'reward' || this.samplesAnswers);

  /** The definition as far as it is complete; null otherwise. */
  get definition(): Definition | null {
    const reward = { id: this.reward };
    const model = chosenModel(this.model);
    if (this.kind === 'code') return this.code.trim() === '' ? null : { by: 'code', code: this.code };
    if (this.kind === 'reward') return { by: 'reward', reward };
    if (this.kind === 'cluster') {
      if (this.clusters.wrong !== null) return null;
      return { by: 'cluster', clusters: this.clusters.value ?? 8, seed: 0 };
    }
    if (!model) return null;
    if (!this.samplesAnswers) return { by: this.kind === 'model' ? 'model' : 'perplexity', model };
    const sampling = this.sampling.values;
    return sampling && { by: this.kind === 'spread' ? 'spread' : 'pass-rate', model, reward, ...sampling };
  }
}
