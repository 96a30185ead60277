import { inCluster, works, expressible, none } from '../kernel/system.ts';
import { runOn } from '../kernel/specs.ts';

/** Probes and protocols. */
export const protocols = inCluster(13, [
  {
    id: 'impossible-languages',
    name: 'Impossible languages',
    paper: 'Mission: Impossible Language Models',
    class: 'adaptable',
    about: 'Trains on systematically scrambled text, and compares how fast each disorder is learned.',
    state: works(
      { file: 'engine/plans/operators/perturb.ts' },
      'tests/main/plan-presets.test.ts',
      'a random order is harder than the natural one',
    ),
  },
  {
    id: 'reason-in-the-wild',
    name: 'Reason in the Wild (ReWild / Tiger)',
    paper: 'Can LLMs Reason in the Wild with Programs?',
    class: 'adaptable',
    about:
      'Splits problems of unknown type into parts, and writes a program in a fitting formalism for each.',
    state: none('Problems of mixed formalisms, and scores of the chosen tactic.'),
  },
  {
    id: 'biomedical-ral-benchmark',
    name: 'Biomedical RAL benchmark',
    paper:
      'Benchmarking Retrieval-Augmented Large Language Models in Biomedical NLP: Application, Robustness, and Self-Awareness',
    class: 'adaptable',
    about: 'Tests retrieval with wrong, foreign and useless context, and asks if the model notices.',
    state: none('Retrieved context in prompts: right, wrong, foreign or useless.'),
  },
  {
    id: 'mistral-c2f',
    name: 'Mistral-C2F',
    paper:
      'Mistral-C2F: Coarse to Fine Actor for Analytical and Reasoning Enhancement in RLHF and Effective-Merged LLMs',
    class: 'adaptable',
    about:
      'Extends the length limit as the policy fills it, then merges the weights back into a brief model.',
    state: none('A length limit that follows the policy, and arithmetic on the weights of checkpoints.'),
  },
  {
    id: 'alignment-ceiling',
    name: 'Alignment Ceiling (objective mismatch)',
    paper: 'The Alignment Ceiling: Objective Mismatch in Reinforcement Learning from Human Feedback',
    class: 'survey',
    about: 'Argues that reward accuracy, training reward and final quality have to be measured separately.',
    state: expressible(
      runOn('arithmetic', 'grpo', {}, { rewards: [{ id: 'length' }] }),
      'Shows reward against verdicts of one run, which the run doctor compares; the accuracy of many reward ' +
        'models is not set against final quality.',
    ),
  },
  {
    id: 'parametric-red-teaming',
    name: 'Parametric red-teaming (Unalignment)',
    paper: 'Language Model Unalignment: Parametric Red-Teaming to Expose Hidden Harms and Biases',
    class: 'core',
    about: 'Measures how much fine-tuning on a few harmful pairs takes away of what alignment had taught.',
    state: none('A world with refusals, and their share before and after a run as a measure.'),
  },
  {
    id: 'echo-chamber',
    name: 'Echo chamber',
    paper: 'Echo Chamber: RL Post-training Amplifies Behaviors Learned in Pretraining',
    class: 'core',
    about: 'Shows that reinforcement narrows a model to one of the formats that it was pretrained on.',
    state: none('A mixture of answer formats to pretrain on, and the share of each format over training.'),
  },
  {
    id: 'l2m',
    name: 'L2M (learning to modulate)',
    paper: 'Learning to Modulate pre-trained Models in RL',
    class: 'adaptable',
    about: 'Picks vectors that rescale activations by the state seen, so that tasks do not overwrite others.',
    state: none('A pool of vectors that rescale activations, chosen by the state.'),
  },
  {
    id: 'rft-mitigates-forgetting',
    name: 'RFT mitigates forgetting (RIF-RFT)',
    paper: 'Reinforcement Fine-Tuning Naturally Mitigates Forgetting in Continual Post-Training',
    class: 'core',
    about: 'Compares what supervised and reward training forget over a stream of tasks.',
    state: works(
      { file: 'engine/evaluate/continual.ts' },
      'tests/engine/evaluate/continual.test.ts',
      'is forgotten by its best accuracy before the end',
    ),
  },
  {
    id: 'alignment-tipping-process',
    name: 'Alignment Tipping Process',
    paper: 'Alignment Tipping Process: How Self-Evolution Pushes LLM Agents Off the Rails',
    class: 'core',
    about: 'Tracks how an agent that learns from its own rewards starts to break its rules.',
    state: none('A world in which breaking a rule pays, and the rate of it over rounds.'),
  },
  {
    id: 'prior-prompt-engineering',
    name: 'Prior prompt engineering (pPE)',
    paper: 'Prior Prompt Engineering for Reinforcement Fine-Tuning',
    class: 'core',
    about:
      'Trains the same way under different system instructions, and compares the behaviours that result.',
    state: none('An instruction in front of every prompt of a run, and tags of behaviours.'),
  },
  {
    id: 'huxley-goedel-machine',
    name: 'Huxley-Godel Machine',
    paper:
      'Huxley-Gödel Machine: Human-Level Coding Agent Development by an Approximation of the Optimal Self-Improving Machine',
    class: 'adaptable',
    about: 'Chooses which self-modified agent to grow by the pooled success of its descendants.',
    state: none('Runs that spawn changed runs, chosen by the pooled success of what came of them.'),
  },
  {
    id: 'rl-fine-tunes-small-subnetworks',
    name: 'RL fine-tunes small subnetworks',
    paper: 'Reinforcement Learning Finetunes Small Subnetworks in Large Language Models',
    class: 'core',
    about: 'Compares checkpoints: few parameters move in reinforcement, and nearly the same ones each time.',
    state: none(
      'The overlap of what two runs moved, and training under a mask: only the share that one run left is measured.',
    ),
  },
  {
    id: 'imagenet-rib',
    name: 'ImageNet-RIB',
    paper: "ImageNet-RIB Benchmark: Large Pre-Training Datasets Don't Guarantee Robustness after Fine-Tuning",
    class: 'adaptable',
    about: 'Fine-tunes on each dataset and measures the loss on all others, for many recipes.',
    state: works({ plan: 'robustness', method: 'lwf' }, 'tests/main/inheritance.test.ts', 'ImageNet-RIB'),
  },
  {
    id: 'drm',
    name: 'DrM',
    paper: 'DrM: Mastering Visual Reinforcement Learning through Dormant Ratio Minimization',
    class: 'adaptable',
    about: 'Measures dormant neurons, and perturbs the weights when there are many.',
    state: none('The share of dormant neurons, and a perturbation of the weights that follows it.'),
  },
  {
    id: 'kl-rl-as-bayes',
    name: 'KL-RL as Bayes',
    paper: 'RL with KL penalties is better viewed as Bayesian inference',
    class: 'core',
    about: 'Shows that training with a divergence penalty aims at a Bayesian posterior.',
    state: works({ method: 'gdc' }, 'tests/engine/rl/variants.test.ts', 'GDC reaches the target'),
  },
  {
    id: 'open-rl-benchmark',
    name: 'Open RL Benchmark',
    paper: 'Open RL Benchmark: Comprehensive Tracked Experiments for Reinforcement Learning',
    class: 'core',
    about: 'A store of fully tracked runs with versions and settings, and tools to aggregate them.',
    state: expressible(
      runOn('toy/copy', 'grpo'),
      'Runs are kept with settings and versions on this computer, and folded over seeds; there is no public store ' +
        'of others’ runs.',
    ),
  },
  {
    id: 'brorl',
    name: 'BroRL',
    paper: 'BroRL: Scaling Reinforcement Learning via Broadened Exploration',
    class: 'core',
    about: 'Hundreds of samples per prompt revive a run that has flattened out.',
    state: expressible(
      runOn('arithmetic', 'grpo', { groupSize: 256 }, { budget: { batch: 2 } }),
      'From the checkpoint of a run that has flattened out; no simulator of token mass.',
    ),
  },
  {
    id: 'simplerl-zoo',
    name: 'SimpleRL-Zoo',
    paper:
      'SimpleRL-Zoo: Investigating and Taming Zero Reinforcement Learning for Open Base Models in the Wild',
    class: 'core',
    about: 'Reinforcement from many base models by verdict alone, with behaviour tracked on the way.',
    state: expressible(
      runOn('arithmetic', 'grpo', {}, { rewards: [{ id: 'verifier' }] }),
      'One of its bases; length, clip share and pass@k are recorded, behaviours are not tagged.',
    ),
  },
  {
    id: 'autorl-hpo-practice',
    name: 'AutoRL HPO practice',
    paper: 'Hyperparameters in Reinforcement Learning and How To Tune Them',
    class: 'core',
    about: 'Tunes settings on other seeds than those on which results are reported.',
    state: none(
      'Seeds for tuning kept apart from those that are reported: sweeps fold the seeds they searched with.',
    ),
  },
  {
    id: 'scalerl',
    name: 'ScaleRL',
    paper: 'The Art of Scaling Reinforcement Learning Compute for LLMs',
    class: 'core',
    about: 'Fits saturating curves of reward over compute, and compares recipes by their ceiling.',
    state: works(
      { file: 'engine/evaluate/saturating.ts', method: 'scale-rl' },
      'tests/engine/evaluate/continual.test.ts',
      'is predicted from the first 40 % of noisy points',
    ),
  },
  {
    id: 'tq-saco',
    name: 'TQ / SACo',
    paper: 'A Dataset Perspective on Offline Reinforcement Learning',
    class: 'adaptable',
    about: 'Measures quality and coverage of a dataset, and maps which method suits which.',
    state: none('Quality and coverage of a dataset as numbers, on a map of methods.'),
  },
  {
    id: 'rich-lazy-init-rank',
    name: 'rich/lazy init rank',
    paper: 'How connectivity structure shapes rich and lazy learning in neural circuits',
    class: 'adaptable',
    about: 'Varies the rank of initial weights, and measures how much representations change.',
    state: none('The rank of initial weights as a setting, and the change of representations as a measure.'),
  },
  {
    id: 'morl-hpo',
    name: 'MORL HPO',
    paper: 'Hyperparameter Optimization for Multi-Objective Reinforcement Learning',
    class: 'adaptable',
    about: 'Tunes settings for the volume of the whole Pareto front, averaged over seeds.',
    state: none('The volume of a Pareto front as the objective of a sweep.'),
  },
  {
    id: 'self-critique',
    name: 'Self-Critique / RL-MIA',
    paper: 'Detecting Data Contamination from Reinforcement Learning Post-training for Large Language Models',
    class: 'core',
    about: 'Asks for a second, different answer: too similar entropies reveal training on the item.',
    state: none('A second answer that must differ from the first, compared by its entropies.'),
  },
]);
