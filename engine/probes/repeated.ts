import { sentencesOf, type Probe } from './probe.ts';

export const repeated: Probe = {
  id: 'repeated',
  title: 'Repeated',
  summary: 'Says its last sentence twice.',
  expects: 'same',
  edit: ({ completion }) => {
    const last = sentencesOf(completion.trimEnd()).at(-1)?.trim() ?? '';
    return last === '' ? null : `${completion.trimEnd()} ${last}`;
  },
};
