import type { Probe } from './probe.ts';

const POINT = /^\s*[-*+]\s/;

export const reordered: Probe = {
  id: 'reordered',
  title: 'Reordered',
  summary: 'Has the points of an unnumbered list in the reverse order.',
  expects: 'same',
  edit: ({ completion }) => {
    const lines = completion.split('\n');
    const from = lines.findIndex((line) => POINT.test(line));
    if (from < 0) return null;
    const after = lines.findIndex((line, at) => at > from && !POINT.test(line));
    const to = after < 0 ? lines.length : after;
    const points = lines.slice(from, to);
    if (new Set(points).size < 2) return null;
    return [...lines.slice(0, from), ...points.toReversed(), ...lines.slice(to)].join('\n');
  },
};
