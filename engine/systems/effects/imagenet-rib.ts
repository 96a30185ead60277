import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const inherited: Measure = {
  of: 'mRI after 60 updates: mean change of pass@1 on the five other tasks, over six tasks (start: 0)',
  better: 'lower',
};
const atEqualGain: Measure = {
  of: 'mRI where both first have the largest gain on the own task that both reach, interpolated',
  better: 'higher',
};
const rankOfDrop: Measure = {
  of: 'Spearman’s correlation over six tasks of sliced Wasserstein distance with the drop on the start’s mixture (no relation: 0)',
  better: 'higher',
};
const rankOfLoss: Measure = {
  of: 'Spearman’s correlation over six tasks of sliced Wasserstein distance with −RI (no relation: 0)',
  better: 'higher',
};

export const imagenetRib: SystemEffects = {
  system: 'imagenet-rib',
  seeds: 5,
  budget: '60 updates of 64 rows or answers for each of six tasks',
  claims: [
    claim('SFT loses on the other tasks', 'the start', inherited, '−.242 [−.294, −.189]', 'yes'),
    claim(
      'Learning without forgetting loses on the other tasks',
      'the start',
      inherited,
      '−.089 [−.111, −.067]',
      'yes',
    ),
    claim(
      'WiSE-FT with half the weights of the start loses on the other tasks',
      'the start',
      inherited,
      '−.050 [−.079, −.030]',
      'yes',
    ),
    claim(
      'GRPO with a divergence loses on the other tasks',
      'the start',
      inherited,
      '−.082 [−.132, −.044]',
      'yes',
    ),
    claim(
      'GRPO with a divergence loses less than SFT at equal gain',
      'SFT',
      atEqualGain,
      '+.047 [.032, .057]',
      'yes',
    ),
    claim(
      'Learning without forgetting loses less than SFT at equal gain',
      'SFT',
      atEqualGain,
      '+.053 [.043, .061]',
      'yes',
    ),
    claim(
      'WiSE-FT with half the weights of the start loses less than SFT at equal gain',
      'SFT',
      atEqualGain,
      '+.064 [.057, .071]',
      'yes',
    ),
    claim(
      'Distance from the start’s data ranks what SFT loses of it',
      'no relation',
      rankOfDrop,
      '+.350 [.005, .686]',
      'yes',
    ),
    claim(
      'Distance from the start’s data ranks what learning without forgetting loses of it',
      'no relation',
      rankOfDrop,
      '+.534 [.394, .665]',
      'yes',
    ),
    claim(
      'Distance from the start’s data ranks what WiSE-FT with half the weights of the start loses of it',
      'no relation',
      rankOfDrop,
      '+.529 [.218, .785]',
      'yes',
    ),
    claim(
      'Distance from the start’s data ranks what GRPO with a divergence loses of it',
      'no relation',
      rankOfDrop,
      '+.489 [.190, .784]',
      'yes',
    ),
    claim(
      'Distance from the start’s data ranks what SFT loses on the other tasks',
      'no relation',
      rankOfLoss,
      '−.200 [−.474, .280]',
      'no',
    ),
    claim(
      'Distance from the start’s data ranks what learning without forgetting loses on the other tasks',
      'no relation',
      rankOfLoss,
      '+.063 [−.291, .486]',
      'no',
    ),
    claim(
      'Distance from the start’s data ranks what WiSE-FT with half the weights of the start loses on the other tasks',
      'no relation',
      rankOfLoss,
      '−.040 [−.349, .371]',
      'no',
    ),
    claim(
      'Distance from the start’s data ranks what GRPO with a divergence loses on the other tasks',
      'no relation',
      rankOfLoss,
      '−.326 [−.703, .257]',
      'no',
    ),
  ],
};
