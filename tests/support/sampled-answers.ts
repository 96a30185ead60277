/** An answer as it is stored; scores that are absent have no row, NaN a NULL. */
export interface Stored {
  readonly id: string;
  readonly run: string;
  readonly attempt: number;
  readonly sequence: number;
  readonly step: number;
  readonly purpose: 'train' | 'evaluation';
  readonly promptId: string;
  readonly prompt: string;
  readonly completion: string;
  readonly tokens: number;
  readonly logp: number | null;
  readonly stop: 'end' | 'length';
  readonly scores: Readonly<Record<string, number>>;
}

/** More than a part of columns has, so that parts meet. */
export const count = 9000;
export const words = ['seven', 'eight', 'Straße', 'naïve', 'x²', '8+9'];
/** Uniform numbers of a seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
const draw = numbersFrom(7);
export const all: readonly Stored[] = Array.from({ length: count }, (_none, at) => {
  const prompt = Math.floor(at / 6) % 1200;
  const isRight = draw() < 0.5;
  const word = words[Math.floor(draw() * words.length)];
  return {
    id: `answer-${at}`,
    run: 'r',
    attempt: 1,
    sequence: Math.floor(at / 60) + 1,
    step: Math.floor(at / 60),
    purpose: at % 3 === 0 ? 'evaluation' : 'train',
    promptId: `p${prompt}`,
    prompt: `What is ${prompt} and ${words[prompt % words.length]}?`,
    completion:
      draw() < 0.02 ? '' : isRight ? `It is ${word}.` : `It may be ${word} or ${Math.floor(draw() * 4)}.`,
    tokens: 1 + Math.floor(draw() * 50),
    logp: draw() < 0.01 ? null : -Math.round(draw() * 40) / 4,
    stop: draw() < 0.1 ? 'length' : 'end',
    scores: {
      verifier: Number(isRight),
      total: Math.round(draw() * 8) / 8,
      ...(draw() < 0.7 && { length: Math.floor(draw() * 9) - 4 }),
      ...(draw() < 0.05 && { judge: draw() < 0.3 ? Number.NaN : draw() }),
    },
  };
});
