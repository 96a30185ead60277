/**
 * A small file to try the app with: sums, each with a right answer, a wrong one, and a right one with filler
 * lines.
 */
export function sampleFile(): File {
  const rows = Array.from({ length: 60 }, (_, i) => [1 + (i % 9), 1 + Math.floor(i / 9)]).flatMap(
    ([a, b]) => [
      { prompt: `${a}+${b}=?`, answer: `${a}+${b}=${a + b}\n#${a + b}`, correct: true },
      { prompt: `${a}+${b}=?`, answer: `${a}+${b}=${a + b + 1}\n#${a + b + 1}`, correct: false },
      { prompt: `${a}+${b}=?`, answer: `${a}+0=${a}\n${a}+${b}=${a + b}\n#${a + b}`, correct: true },
    ],
  );
  return new File([rows.map((row) => JSON.stringify(row)).join('\n')], 'sample-sums.jsonl', {
    type: 'application/jsonl',
  });
}
