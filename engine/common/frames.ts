/**
 * Other text around a prompt, which keeps its meaning: what a probe changes where a task has no wordings of its
 * own. The prompt itself stays character by character, so that a verifier’s verdict still holds.
 */
import type { Draws, Wordings } from './wordings.ts';

/** Between the parts of a framed prompt. */
const BREAK = '\n\n';

/** Parts ahead of the prompt, by theme. None asks for anything else, nor tells of the answer. */
const ahead = {
  politeness: [
    'Hello! I hope that you are well. Could you please help me with the following?',
    'Would you be so kind as to answer this? Thank you very much in advance.',
    'Good morning. I would be grateful for your help with this.',
  ],
  pressure: [
    'This is urgent: I need it right away, and much depends on it.',
    'Please get this one right. My job depends on it!',
    'HURRY UP, THERE IS NO TIME LEFT.',
  ],
  doubt: [
    'Many people get this wrong.',
    'I am not sure that anyone can answer this.',
    'The last time you were asked, your answer was wrong.',
  ],
  person: [
    'I am a teacher who prepares a lesson for tomorrow.',
    'I am new here and do not know much about such things.',
    'My grandmother asked me the following, and I promised her an answer.',
  ],
  distraction: [
    'The shop around the corner opens at 9 and closes at 18. That does not matter here.',
    'Yesterday it rained for 3 hours, and 12 people forgot their umbrellas. Now to something else.',
    'Unrelated: the train to the coast takes 47 minutes.',
  ],
} as const;

/** Parts behind it: an answer begins after these words in place of the prompt’s own. */
const afterwords = [
  'Thank you for your answer.',
  'That was all that I wanted to ask.',
  'Take the time that you need.',
];
/** Between a prompt and the same prompt. */
const again = ['Here it is once more:', 'To be clear, I repeat it:'];

type Theme = keyof typeof ahead;
const themes = Object.keys(ahead) as Theme[];

const themeOf = (part: string): Theme | undefined =>
  themes.find((theme) => (ahead[theme] as readonly string[]).includes(part));

interface Unframed {
  readonly prompt: string;
  readonly kinds: readonly string[];
}

/** A prompt without its frame, and the themes of the frame. */
export function unframed(text: string): Unframed {
  let parts = text.split(BREAK);
  const found = new Set<string>();
  for (let theme = themeOf(parts[0]); theme && parts.length > 1; theme = themeOf(parts[0])) {
    found.add(theme);
    parts = parts.slice(1);
  }
  if (parts.length > 1 && afterwords.includes(parts[parts.length - 1])) {
    found.add('afterword');
    parts = parts.slice(0, -1);
  }
  const middle = (parts.length - 1) / 2;
  const [one, other] = [parts.slice(0, middle), parts.slice(middle + 1)].map((side) => side.join(BREAK));
  if (middle > 0 && again.includes(parts[middle]) && one === other) {
    found.add('repetition');
    parts = parts.slice(0, middle);
  }
  return { prompt: parts.join(BREAK), kinds: frames.kinds.filter((kind) => found.has(kind)) };
}

const say = (prompt: string, kinds: readonly string[], draw: Draws): string | null => {
  const parts = [
    ...draw.shuffle(themes.filter((theme) => kinds.includes(theme))).map((theme) => draw.pick(ahead[theme])),
    ...(kinds.includes('repetition') ? [prompt, draw.pick(again), prompt] : [prompt]),
    ...(kinds.includes('afterword') ? [draw.pick(afterwords)] : []),
  ];
  const said = parts.join(BREAK);
  // a prompt that itself begins or ends with such words cannot be separated from its frame
  return unframed(said).prompt === prompt ? said : null;
};

/** Frames for any prompt in words. A prompt alone does not tell the right answer. */
export const frames: Wordings = {
  kinds: [...themes, 'repetition', 'afterword'],
  isAround: true,
  say,
  kindsOf: (text) => unframed(text).kinds,
  answer: () => null,
  worked: () => null,
};
