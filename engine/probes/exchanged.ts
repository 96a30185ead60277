import type { Probe } from './probe.ts';

export const exchanged: Probe = {
  id: 'exchanged',
  title: 'Exchanged',
  summary: 'Is the answer to another prompt.',
  expects: 'lower',
  edit: ({ completion, other }) => (other === null || other === completion ? null : other),
};
