import { familyNodes, type FamilySettings, rules } from '../../../preload/wire/family-plan.ts';
import type { PlanPreset } from './preset.ts';

export { rules };

/** A family of rules of rewriting around a new start, by the four recipes that were measured. */
export const ruleNodes = ({
  tasks,
  seed,
  ...size
}: Pick<FamilySettings, 'learned' | 'steps' | 'every' | 'problems'> & {
  readonly tasks: readonly string[];
  readonly seed: number;
}): object[] =>
  familyNodes({
    ...size,
    start: null,
    tasks: tasks.map((rule) => ({ name: rule, rule })),
    recipes: ['sft', 'lwf', 'grpo', 'wise'],
    seeds: [seed],
    rate: 1,
    maxTokens: 5,
  });

/** arXiv:2410.21582, with rules of rewriting in place of pictures. */
export const robustness: PlanPreset = {
  id: 'robustness',
  title: 'Robustness inheritance (sample of ImageNet-RIB)',
  summary:
    'A model that rewrites strings by a mixture of rules is adapted to each of three rules by imitation, learning ' +
    'without forgetting, averaged weights and GRPO with a divergence: what each gains, and loses on the others.',
  sample: {
    title: 'Robustness',
    about:
      'One model is adapted to three rules by four recipes: what each gains, and loses on the other rules. ' +
      'About a minute.',
  },
  plan: {
    name: 'Robustness',
    summary: 'arXiv:2410.21582: what adapting to one task costs on its relatives, for four recipes.',
    nodes: ruleNodes({
      tasks: ['reverse', 'swap', 'previous'],
      seed: 0,
      learned: 600,
      steps: 40,
      every: 0,
      problems: 40,
    }),
  },
};
