import type { Probe } from './probe.ts';

export const padded: Probe = {
  id: 'padded',
  title: 'Padded',
  summary: 'Ends with two sentences that say nothing about the question.',
  expects: 'same',
  edit: ({ completion }) =>
    completion.trim() === ''
      ? null
      : `${completion.trimEnd()} I hope that this is of help. Please let me know if there is anything else.`,
};
