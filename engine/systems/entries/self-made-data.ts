import { inCluster, expressible, expressibleAsPlan, none } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Self-made data, tasks and rounds. */
export const selfMadeData = inCluster(8, [
  {
    id: 'r-tuning',
    name: 'R-Tuning',
    paper: 'R-Tuning: Teaching Large Language Models to Refuse Unknown Questions',
    class: 'core',
    about: 'Teaches certainty: answers that the model got wrong are trained with a statement of doubt.',
    state: none(
      'An operator that adds words of certainty to an answer by its verdict, and the precision of these words.',
    ),
  },
  {
    id: 'ruler',
    name: 'Ruler (meta length tokens)',
    paper: 'Ruler: A Model-Agnostic Method to Control Generated Length for Large Language Models',
    class: 'core',
    about: 'A token for the wanted length in front of each answer makes length a setting.',
    state: none(
      'A token of the wanted length in front of each answer, and the share of answers that keep to it.',
    ),
  },
  {
    id: 'weak-to-strong-reasoning',
    name: 'Weak-to-strong reasoning',
    paper: 'Weak-to-Strong Reasoning',
    class: 'core',
    about: 'Trains first where weak label and own answer agree, then on pairs of sure and weak answers.',
    state: expressibleAsPlan(
      'weak-to-strong-reasoning',
      'Agreement is of majorities of samples, not of answers to shown examples; rejected answers include the ' +
        'strong model’s own. Its filters are tested by hand; the gain of the stages is not.',
    ),
  },
  {
    id: 'ats',
    name: 'ATS (autonomous tree search)',
    paper: 'Autonomous Tree-search Ability of Large Language Models',
    class: 'core',
    about: 'Fine-tunes on search written out as text, so that one answer explores and backtracks.',
    state: none('Searches written out as text, with dead ends and returns, to learn from.'),
  },
  {
    id: 'mstar',
    name: 'MSTaR',
    paper: 'Diving into Self-Evolving Training for Multimodal Reasoning',
    class: 'adaptable',
    about: 'Continues from newest policy and optimizer, reranks by steps, and adapts the temperature.',
    state: expressible(
      runOn(
        'arithmetic',
        'raft',
        {},
        { rewards: [{ id: 'verifier', weight: 10 }], controllers: [{ id: 'b-star' }] },
      ),
      'Add a process verifier as reward-model for the steps; the best answer instead of the best few.',
    ),
  },
  {
    id: 'c2-evo',
    name: 'C2-Evo',
    paper: 'C2-Evo: Co-Evolving Multimodal Data and Model for Self-Improving Reasoning',
    class: 'adaptable',
    about: 'Data and model grow together: problems are made harder where the error rate asks for it.',
    state: none(
      'Problems composed of smaller ones: operators edit one prompt at a time, and none keeps a band of error rates.',
    ),
  },
  {
    id: 'eva',
    name: 'eva',
    paper:
      'Scalable Reinforcement Post-Training Beyond Static Human Prompts: Evolving Alignment via Asymmetric Self-Play',
    class: 'core',
    about: 'Varies the prompts whose answers differ most in reward, and trains on the mixture.',
    state: expressibleAsPlan(
      'eva',
      'Prompts are varied by edit templates instead of a language model, without a buffer of all earlier ones. ' +
        'No test shows a gain over fixed prompts.',
    ),
  },
  {
    id: 'temporal-self-rewarding',
    name: 'Temporal Self-Rewarding',
    paper: 'Temporal Self-Rewarding Language Models: Decoupling Chosen-Rejected via Past-Future',
    class: 'core',
    about: 'Rejected answers come from the past model and chosen ones from a provisional future one.',
    state: none('An operator that pairs answers by the run that wrote them: those of plans pair by score.'),
  },
  {
    id: 'cream',
    name: 'CREAM',
    paper: 'CREAM: Consistency Regularized Self-Rewarding Language Models',
    class: 'core',
    about: 'Weights self-rewarded pairs by the agreement between successive rankings of the model.',
    state: expressibleAsPlan(
      'cream',
      'Whole pairs are turned with probability 1 − C instead of weighting both orders of each, which is the ' +
        'same in expectation only. No test shows a gain over plain rounds.',
    ),
  },
  {
    id: 'anyprefer',
    name: 'Anyprefer',
    paper: 'Anyprefer: An Agentic Framework for Preference Data Synthesis',
    class: 'core',
    about: 'A judge with tools ranks candidates, and a reward model sends weak pairs back for rewriting.',
    state: none('A judge that calls tools, and prompts that are rewritten after its feedback.'),
  },
  {
    id: 'upo',
    name: 'UPO (uncertainty-enhanced PO)',
    paper: 'Self-Evolutionary Large Language Models through Uncertainty-Enhanced Preference Optimization',
    class: 'core',
    about: 'Weights self-made pairs by an estimator’s certainty, the easy ones first.',
    state: none('The uncertainty of an estimator with dropout, and pairs that are weighted by it.'),
  },
  {
    id: 'mpts',
    name: 'MPTS',
    paper: 'Model Predictive Task Sampling for Efficient and Robust Adaptation',
    class: 'core',
    about: 'Predicts how hard tasks are for the learner, and samples those with the highest bound.',
    state: none('A model that predicts the difficulty of tasks that were never tried.'),
  },
  {
    id: 'scir',
    name: 'SCIR (self-consistent internal rewards)',
    paper: 'Self-Consistency of the Internal Reward Models Improves Self-Rewarding Language Models',
    class: 'core',
    about: 'Trains only on pairs on which several internal rewards agree, and penalises disagreement.',
    state: none(
      'A penalty in the loss where internal rewards disagree: operators compare two rankings before training.',
    ),
  },
  {
    id: 'qwenlong-l1',
    name: 'QwenLong-L1',
    paper: 'QwenLong-L1: Towards Long-Context Large Reasoning Models with Reinforcement Learning',
    class: 'adaptable',
    about: 'Grows the length of inputs in phases, and carries hard problems over.',
    state: none(
      'Worlds with long inputs, and problems drawn again because their mean reward was low in an earlier phase.',
    ),
  },
  {
    id: 'again',
    name: 'AGAIN',
    paper: 'Meta Automatic Curriculum Learning',
    class: 'adaptable',
    about: 'Samples tasks by learning progress, and reuses the progress of earlier students.',
    state: none('The learning progress of earlier students, looked up by a pre-test of the new one.'),
  },
  {
    id: 'codev-r1',
    name: 'CodeV-R1',
    paper: 'CodeV-R1: Reasoning-Enhanced Verilog Generation',
    class: 'adaptable',
    about: 'Keeps code whose description leads back to equivalent code, then trains with adaptive sampling.',
    state: none(
      'A description written of each program, a program written from it, and a check that both are equivalent.',
    ),
  },
  {
    id: 'knights-and-knaves-warm-up',
    name: 'K&K warm-up',
    paper: 'Warm Up Before You Train: Unlocking General Reasoning in Resource-Constrained Settings',
    class: 'core',
    about: 'Warms up on logic puzzles of a teacher before training on few target problems.',
    state: none('A world of logic puzzles with the reasoning of a teacher: its two stages would be a plan.'),
  },
]);
