/**
 * One sampled answer, immutable. Token-sized arrays go to a segment file; a row holds text and facts. `id`
 * is a hash of (run, attempt, role, step, prompt, sample).
 */
export interface Trajectory {
  readonly id: string;
  readonly role: string;
  /** Update of the policy that sampled it: `run/attempt/role/update`. */
  readonly policyVersion: string;
  readonly step: number;
  /** `train` rollouts; `evaluation` at a named step; `sample` for rows to be labeled. */
  readonly purpose: 'train' | 'evaluation' | 'sample';
  readonly promptId: string;
  readonly sample: number;
  readonly prompt: string;
  /**
   * The text that the model was shown in place of `prompt`, with earlier answers, feedback or the right
   * answer in it. Absent if it was shown the prompt itself.
   */
  readonly shown?: string;
  readonly completion: string;
  /**
   * Prompt and completion tokens, concatenated; the completion starts at `promptLength`. Includes
   * end-of-sequence.
   */
  readonly tokens: Int32Array;
  readonly promptLength: number;
  /** Completion tokens only, under the sampling temperature, end-of-sequence included. */
  readonly behaviorLogp: Float32Array;
  /**
   * Authors of a multi-turn answer: [start, end) in `tokens`, the role (`prompt`, `answer`, `world`), and
   * whether it may be trained. Absent for a single-turn answer. The world's tokens have a log-probability of
   * 0 in `behaviorLogp`, and are in marks in `completion`.
   */
  readonly spans?: readonly (readonly [start: number, end: number, role: string, trainable: boolean])[];
  /**
   * Id of the answer that it continues, branches from, or revises; absent for one that was begun anew. It may
   * be of an earlier step.
   */
  readonly parent?: string;
  /** Hash of the prompt and the given beginning of the answer: equal for answers that began in one state. */
  readonly startState?: string;
  /**
   * The given beginning of the answer, which was not written for it: tokens, and characters at the start of
   * `completion`. Absent without one.
   */
  readonly given?: { readonly tokens: number; readonly characters: number };
  /** What another model of the run wrote in reply to it: the target of an attack. Absent without one. */
  readonly reply?: string;
  readonly stopReason: 'end' | 'length';
  /** Sampling temperature, including a controller's factor, but not its per-token annealing. */
  readonly temperature: number;
  /** Each scorer's raw value by scorer id (`verifier`, `reward-model`, `length`, …). */
  readonly scores: Readonly<Record<string, number>>;
}
