/** The two texts with which a judgement may end. */
export interface VerdictTexts {
  readonly right: string;
  readonly wrong: string;
}

/** The vote of a judgement: 1 if it ends with `right`, 0 with `wrong` (the longer text first), ½ with neither. */
export const verdictIn = (judgement: string, { right, wrong }: VerdictTexts): number => {
  const text = judgement.trimEnd();
  const [longer, shorter] = right.length >= wrong.length ? [right, wrong] : [wrong, right];
  const found = [longer, shorter].find((one) => text.endsWith(one));
  return found === undefined ? 0.5 : Number(found === right);
};
