/** The rule of the world `toy/copy` as a reward, for prompts of any length. */
export const copies = [
  {
    id: 'snippet',
    params: {
      code: [
        '(row) => {',
        '  const wanted = row.prompt.slice(0, -1);',
        '  const same = [...wanted].filter((letter, at) => row.completion[at] === letter).length;',
        '  return same / Math.max(wanted.length, row.completion.length, 1);',
        '}',
      ].join('\n'),
    },
  },
];
