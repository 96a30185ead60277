import { sentencesOf, type Probe } from './probe.ts';

export const reformatted: Probe = {
  id: 'reformatted',
  title: 'Reformatted',
  summary: 'Has the sentences of an answer without lists as the points of a Markdown list.',
  expects: 'same',
  edit: ({ completion }) => {
    if (/^\s*(?:[-*+]|\d+[.)])\s|```|^\s*#/m.test(completion)) return null;
    const sentences = sentencesOf(completion)
      .map((each) => each.trim())
      .filter(Boolean);
    return sentences.length < 2 ? null : sentences.map((each) => `- ${each}`).join('\n');
  },
};
