import type { ToolId } from '../../preload/contract/logs.ts';

/**
 * Names of the same quantity in the logs of trainers, by the names here. Only where definition and unit agree: a
 * KL summed over answers, or one of another estimator, keeps its own name.
 */
const shared: { readonly [name: string]: string } = {
  lr: 'learning_rate',
  reward: 'reward/mean',
  reward_std: 'reward/std',
  completion_length: 'completions/mean_length',
  'completions/clipped_ratio': 'completions/truncated',
  'clip_ratio/low_mean': 'clip_ratio/low',
  'clip_ratio/high_mean': 'clip_ratio/high',
};

const verl: { readonly [name: string]: string } = {
  'actor/grad_norm': 'grad_norm',
  'actor/lr': 'learning_rate',
  'actor/entropy': 'entropy',
  'critic/score/mean': 'reward/mean',
  'response_length/mean': 'completions/mean_length',
  'response_length/clip_ratio': 'completions/truncated',
  'timing_s/step': 'seconds/step',
};

/** The name of a metric here; its own, if nothing here measures the same. */
export function nameOf(tool: ToolId, name: string): string {
  if (tool === 'verl' && Object.hasOwn(verl, name)) return verl[name];
  // Transformers logs eval_loss, which its callbacks write as eval/loss, and the rest as train/…
  const plain = name.replace(/^train\//, '').replace(/^eval_/, 'eval/');
  const [, phase, rest] = /^(eval\/)?(.*)$/s.exec(plain) ?? [];
  return `${phase ?? ''}${Object.hasOwn(shared, rest) ? shared[rest] : rest}`;
}

/** Names of one run's metrics: no two of its log have the same here. */
export class Names {
  readonly #tool: ToolId;
  readonly #here = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(tool: ToolId) {
    this.#tool = tool;
  }

  of(name: string): string {
    const known = this.#here.get(name);
    if (known !== undefined) return known;
    const mapped = nameOf(this.#tool, name);
    const here = this.#free(this.#taken.has(mapped) ? name : mapped);
    this.#taken.add(here);
    this.#here.set(name, here);
    return here;
  }

  /** The metrics that have another name here: names of the log, by names here. */
  get renamed(): Record<string, string> {
    return Object.fromEntries(
      [...this.#here].filter(([log, here]) => log !== here).map(([log, here]) => [here, log]),
    );
  }

  #free(name: string): string {
    let free = name;
    for (let i = 2; this.#taken.has(free); i += 1) free = `${name} (${i})`;
    return free;
  }
}
