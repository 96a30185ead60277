import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const alignment: Measure = {
  of: 'share of 200 episodes that complete the chart of their policy, mean of four policies',
  better: 'higher',
};
const spread: Measure = {
  of: 'mean distance of lane, place and speed (each over its range) of trajectories of two policies',
  better: 'higher',
};
const variety: Measure = {
  of: 'entropy (nats) of the set of charts that an episode completes',
  better: 'higher',
};
const returns: Measure = { of: 'mean return of the world, without the chart', better: 'higher' };
const faults: Measure = {
  of: 'share of 16 charts judged rightly, by search against 1000 random episodes',
  better: 'higher',
};

export const textToDrive: SystemEffects = {
  system: 'text-to-drive',
  seeds: 5,
  budget: '1,638,400 steps for each of four policies',
  claims: [
    claim(
      'Follows the described order more often than with the base reward alone',
      'the base reward alone',
      alignment,
      '+.759 [.699, .808]',
      'yes',
    ),
    claim(
      'Policies that differ more than with the base reward alone',
      'the base reward alone',
      spread,
      '+.350 [.210, .431]',
      'yes',
    ),
    claim(
      'More varied behaviours than with the base reward alone',
      'the base reward alone',
      variety,
      '+1.012 [.921, 1.113]',
      'yes',
    ),
    claim(
      'Drives no worse than with the base reward alone',
      'the base reward alone',
      returns,
      '−.464 [−.683, −.200]',
      'opposite',
    ),
    claim(
      'Follows the described order more often than with a reward for the same states in any order',
      'a reward for the same states in any order',
      alignment,
      '+.754 [.718, .797]',
      'yes',
    ),
    claim(
      'Policies that differ more than with a reward for the same states in any order',
      'a reward for the same states in any order',
      spread,
      '+.069 [.038, .100]',
      'yes',
    ),
    claim(
      'More varied behaviours than with a reward for the same states in any order',
      'a reward for the same states in any order',
      variety,
      '+1.025 [.965, 1.085]',
      'yes',
    ),
    claim(
      'Drives no worse than with a reward for the same states in any order',
      'a reward for the same states in any order',
      returns,
      '+.551 [.414, .741]',
      'yes',
    ),
    claim(
      'Search tells planted faults (unreachable, constant, an order that cannot be) and none better than chance',
      'random episodes',
      faults,
      '+.000 [.000, .000]',
      'no',
    ),
  ],
};
