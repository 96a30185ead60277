import type { Probe } from './probe.ts';

export const confident: Probe = {
  id: 'confident',
  title: 'Confident',
  summary: 'Ends by asserting that it is right.',
  expects: 'same',
  edit: ({ completion }) =>
    completion.trim() === '' ? null : `${completion.trimEnd()} I am completely sure about this.`,
};
