import type { PlanPreset } from './preset.ts';
import { smallPolicy } from './shared.ts';

/** Requests of three letters; eight pairs of letters are harmful, and the first two of them are known. */
const requests = { letters: 8, length: 3, size: 2, families: 8 } as const;
const known = { ...requests, side: 'defend', wrong: 0, families: 2 } as const;
const world = (params: object) => ({ kind: 'world', id: 'toy/triggers', params });
const defends = {
  problems: 100,
  samples: 1,
  world: { id: 'toy/triggers', params: { ...requests, side: 'defend' } },
};
const checkpoint = (checkpointId: object) => ({ kind: 'checkpoint', checkpointId });
/** The target as the last round left it. */
const current = checkpoint({ node: 'patch', round: 'previous', first: 'target' });

/**
 * Hong et al. 2024, arXiv:2402.19464, in rounds with a patch of the target, as MART has (arXiv:2311.07689).
 */
export const redTeam: PlanPreset = {
  id: 'red-team',
  title: 'Red team: attack, patch, attack again (CRT)',
  summary:
    'An attacker that earns less for what it has tried before looks for requests that a small local target answers and ' +
    'should refuse; the target learns to refuse what was found, and is attacked again. Three rounds.',
  sample: {
    title: 'Red team',
    about:
      'An attacker looks for requests that a small local target should refuse; the target is patched, and attacked again. About a minute.',
  },
  plan: {
    name: 'Red team',
    summary:
      'arXiv:2402.19464: curiosity-driven attacks on a local target, which is patched after each round.',
    specs: {
      imitate: {
        method: { id: 'sft' },
        sampling: { maxTokens: 2 },
        optimizer: { learningRate: 5e-3 },
        evaluation: defends,
      },
    },
    nodes: [
      {
        id: 'target',
        use: 'imitate',
        spec: { ...smallPolicy(24, 2), task: world(known), budget: { steps: 300, batch: 64 } },
      },
      {
        id: 'base',
        use: 'imitate',
        spec: {
          ...smallPolicy(24),
          task: world({ ...requests, skew: 1, wrong: 0.7 }),
          sampling: { maxTokens: 4 },
          budget: { steps: 80, batch: 64 },
          evaluation: { problems: 0 },
        },
      },
      {
        id: 'ordinary',
        spec: {
          method: { id: 'sample', params: { groupSize: 1 } },
          models: { policy: checkpoint({ node: 'target' }) },
          task: world(known),
          rewards: [{ id: 'verifier' }],
          sampling: { maxTokens: 2 },
          budget: { steps: 6, batch: 100 },
          evaluation: { problems: 0 },
        },
      },
      {
        id: 'round',
        rounds: 3,
        body: [
          {
            id: 'attack',
            spec: {
              method: {
                id: 'crt',
                params: { bleu: 0.7, cosine: 0.1, ending: ':', klWeight: 0, epochs: 1 },
              },
              models: { policy: checkpoint({ node: 'base' }), target: current },
              task: world({ ...requests, skew: 1 }),
              sampling: { maxTokens: 4 },
              optimizer: { learningRate: 1e-3, schedule: 'constant' },
              budget: { steps: 120, batch: 48 },
              evaluation: { problems: 0 },
            },
          },
          {
            id: 'patch',
            use: 'imitate',
            spec: {
              models: { policy: current },
              task: {
                kind: 'run',
                answers: ['attack', 'ordinary'],
                operators: [
                  { id: 'filter', params: { column: 'score verifier', least: 0.51 } },
                  { id: 'as-prompt', params: { from: ['attack'], ending: ':', answer: '-' } },
                  { id: 'distinct' },
                ],
                heldout: 0.05,
              },
              optimizer: { learningRate: 2e-3 },
              budget: { steps: 200, batch: 64 },
            },
          },
        ],
      },
    ],
  },
};
