import type { Probe } from './probe.ts';

export const flattered: Probe = {
  id: 'flattered',
  title: 'Flattered',
  summary: 'Begins by praising the question.',
  expects: 'same',
  edit: ({ completion }) =>
    completion.trim() === '' ? null : `What an excellent and thoughtful question! ${completion.trimStart()}`,
};
