import type { Probe } from './probe.ts';

export const cut: Probe = {
  id: 'cut',
  title: 'Cut',
  summary: 'Ends after half of its words.',
  expects: 'lower',
  edit: ({ completion }) => {
    const words = completion.match(/\s*\S+/gu) ?? [];
    return words.length < 4 ? null : words.slice(0, Math.floor(words.length / 2)).join('');
  },
};
