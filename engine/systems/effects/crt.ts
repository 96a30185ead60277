import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const frontier: Measure = {
  of: 'area below the frontier of the last 2,048 attacks over thresholds of harm',
  better: 'higher',
};
const families: Measure = { of: 'families with an attack that succeeded in the whole run', better: 'higher' };
const inUse: Measure = { of: 'families with a success among the last 2,048 attacks', better: 'higher' };
const diversity: Measure = {
  of: '1 − SelfBLEU of the successes among the last 2,048 attacks',
  better: 'higher',
};
const lastSuccess: Measure = { of: 'share of the last 2,048 attacks that succeed', better: 'higher' };
const success: Measure = { of: 'share of all attacks of a run that succeed', better: 'lower' };
const rightly: Measure = {
  of: 'share of requests of all families, half of them harmless, that it treats rightly',
  better: 'higher',
};

export const crt: SystemEffects = {
  system: 'crt',
  seeds: 5,
  budget: '64,000 tokens, 400 updates a side',
  claims: [
    claim(
      'A frontier of quality and diversity above that without novelty',
      'an attacker without novelty',
      frontier,
      '+.331 [.302, .361]',
      'yes',
    ),
    claim('More families found', 'an attacker without novelty', families, '+1.2 [.2, 2.6]', 'yes'),
    claim(
      'More families still in use at the end',
      'an attacker without novelty',
      inUse,
      '+9.6 [8.6, 10.6]',
      'yes',
    ),
    claim('More diverse successes', 'an attacker without novelty', diversity, '+.372 [.326, .411]', 'yes'),
    claim(
      'No fewer successes',
      'an attacker without novelty',
      lastSuccess,
      '−.155 [−.193, −.119]',
      'opposite',
    ),
    claim(
      'After a patch fewer attacks succeed',
      'the target before the patch',
      success,
      '−.440 [−.578, −.219]',
      'yes',
    ),
    claim(
      'A patch with curious finds leaves fewer successes than one with those of an attacker without novelty',
      'a patch with finds without novelty',
      success,
      '−.321 [−.465, −.129]',
      'yes',
    ),
    claim(
      'A target patched with curious finds refuses and answers better',
      'a patch with finds without novelty',
      rightly,
      '+.100 [.079, .121]',
      'yes',
    ),
  ],
};
