import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const distinct: Measure = {
  of: 'different right answers among 8 to a prompt, on 120 held-out prompts after 250 updates of 16 × 8 answers',
  better: 'higher',
};
const solved: Measure = {
  of: 'pass@8 on 120 held-out prompts after 250 updates of 16 × 8 answers',
  better: 'higher',
};

export const rleLanguage: SystemEffects = {
  system: 'rle',
  experiment: { id: 'rle-language', setting: 'in language' },
  seeds: 5,
  budget: '250 updates of 16 × 8 answers',
  claims: [
    claim(
      'RLE in language against the same bonus with directions that the policy does not read: more different right answers',
      'the same bonus with directions that the policy does not read',
      distinct,
      '−.032 [−.123, .023]',
      'no',
    ),
    claim(
      'RLE in language against the same bonus with directions that the policy does not read: more prompts solved by some answer',
      'the same bonus with directions that the policy does not read',
      solved,
      '−.002 [−.017, .018]',
      'no',
    ),
    claim(
      'RLE in language against GRPO: more different right answers',
      'GRPO',
      distinct,
      '−.083 [−.240, .024]',
      'no',
    ),
    claim(
      'RLE in language against GRPO: more prompts solved by some answer',
      'GRPO',
      solved,
      '−.030 [−.062, −.005]',
      'opposite',
    ),
    claim(
      'RLE in language against RepExp: more different right answers',
      'RepExp',
      distinct,
      '−.037 [−.122, .056]',
      'no',
    ),
    claim(
      'RLE in language against RepExp: more prompts solved by some answer',
      'RepExp',
      solved,
      '−.003 [−.023, .013]',
      'no',
    ),
    claim(
      'RLE in language against GRPO at temperature 1.3, also when it is measured: more different right answers',
      'GRPO at temperature 1.3, also when it is measured',
      distinct,
      '−.155 [−.208, −.099]',
      'opposite',
    ),
    claim(
      'RLE in language against GRPO at temperature 1.3, also when it is measured: more prompts solved by some answer',
      'GRPO at temperature 1.3, also when it is measured',
      solved,
      '−.042 [−.060, −.027]',
      'opposite',
    ),
    claim(
      'RLE in language against GRPO with its entropy held at .8 nats per token: more different right answers',
      'GRPO with its entropy held at .8 nats per token',
      distinct,
      '−.467 [−.612, −.293]',
      'opposite',
    ),
    claim(
      'RLE in language against GRPO with its entropy held at .8 nats per token: more prompts solved by some answer',
      'GRPO with its entropy held at .8 nats per token',
      solved,
      '−.077 [−.122, −.042]',
      'opposite',
    ),
  ],
};
