import type { ModelFacts } from '../../engine/schema/messages.ts';

/** The engine's description of a small model folder. */
export const modelFacts = (own: Partial<ModelFacts> = {}): ModelFacts => ({
  folder: '/models/tiny',
  name: 'tiny',
  architecture: 'llama',
  head: 'next-token',
  parameters: 1000,
  dtypes: ['F32'],
  bytes: 4000,
  context: 64,
  vocabulary: 96,
  layers: 2,
  width: 16,
  hash: 'h',
  chat: false,
  adapter: null,
  files: [],
  ...own,
});
