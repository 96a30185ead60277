/** How often a run is evaluated along the way by default: where that costs under a tenth of its training. */

/** Share of the training's time for evaluations before the last one, and the largest number of them. */
const along = { share: 0.1, most: 9 } as const;

/**
 * Time per answer, in forward passes over it. Sampling token by token takes as long as a training pass: in
 * the demo an evaluation of 500 problems with 8 samples takes 3.5 s, a GRPO step on 256 answers 0.35 s.
 */
const passes = { sampled: 3, scored: 1, trained: 3 } as const;

export interface EvaluationCost {
  readonly steps: number;
  readonly batch: number;
  /** What a row of a batch is, as in `TaskKindInfo`. */
  readonly trainsOn: 'examples' | 'graded' | 'pairs' | 'problems' | 'steps';
  /** Answers sampled per prompt. */
  readonly groupSize: number;
  readonly problems: number;
  readonly samples: number;
}

/** Steps between evaluations; 0, only at the end, where one more would cost a tenth of the training or more. */
export function evaluationEvery(cost: EvaluationCost): number {
  const { steps, batch, trainsOn, groupSize, problems, samples } = cost;
  const { sampled, scored, trained } = passes;
  const row = {
    examples: trained,
    graded: trained,
    pairs: 2 * (trained + scored),
    problems: groupSize * (sampled + scored + trained),
    steps: sampled + trained,
  }[trainsOn];
  // greedy answers are not scored by the initial policy
  const evaluation = problems * (samples * (sampled + scored) + sampled);
  const count = Math.min(along.most, Math.floor((along.share * steps * batch * row) / evaluation));
  return count >= 1 && problems > 0 ? Math.ceil(steps / (count + 1)) : 0;
}
