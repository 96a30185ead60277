import type { Draws } from '../../common/wordings.ts';

/** The words for what is done and to which thing: the plain one first. No word has a doubled letter. */
const acts = { t: ['take', 'grab', 'lift', 'fetch'], p: ['push', 'shove', 'slide', 'nudge'] } as const;
const things = {
  c: ['cup', 'mug', 'beaker'],
  p: ['pen', 'biro', 'crayon'],
  b: ['box', 'crate', 'case'],
  j: ['jar', 'pot', 'tub'],
  k: ['key', 'opener', 'latch'],
  m: ['map', 'chart', 'plan'],
} as const;
type Act = keyof typeof acts;
type Thing = keyof typeof things;
const thingLetters = Object.keys(things) as Thing[];

/** Prefixes without a meaning, of several lengths, that plain instructions may have too. */
const greetings = ['', 'please ', 'now ', 'robot, ', 'robot, please ', 'hey robot, now please '] as const;
const greetingWords: readonly string[] = ['please', 'now', 'robot', 'hey'];

/** Actions on things. */
interface Step {
  readonly act: Act;
  readonly thing: Thing;
}
/** Two errands, in the order in which they are done; their things differ. */
export type Goal = readonly [Step, Step];

/** Ways in which an instruction can differ from a plain one; its meaning stays. */
export const changes = ['synonym', 'spelling', 'order', 'negation', 'distractor'] as const;
export type Change = (typeof changes)[number];

export interface Instruction {
  readonly goal: Goal;
  readonly changes: readonly Change[];
}

/** Longest instruction, in characters. */
export const LONGEST =
  'hey robot, now please the map is old, before shove not map but opener, shove not map but beaker..'.length;

/** Calls for the two errands as they are written in answers: `tc pb` takes the cup, then pushes the box. */
export const answerOf = (goal: Goal): string => goal.map(({ act, thing }) => act + thing).join(' ');

export const drawGoal = (draw: Draws): Goal => {
  const [first, second] = draw.shuffle(thingLetters);
  const act = (): Act => draw.pick(['t', 'p'] as const);
  return [
    { act: act(), thing: first },
    { act: act(), thing: second },
  ];
};

const keyOf = <K extends string>(table: Readonly<Record<K, readonly string[]>>, word: string) =>
  (Object.keys(table) as K[]).find((key) => table[key].includes(word));

/** Reads words from the front; what it takes is gone. Null where the next ones are something else. */
class Reader {
  readonly #words: string[];
  readonly found = new Set<Change>();

  constructor(words: readonly string[]) {
    this.#words = [...words];
  }

  get isDone(): boolean {
    return this.#words.length === 0;
  }

  take(word: string): boolean {
    if (this.#words[0] !== word) return false;
    this.#words.shift();
    return true;
  }

  greeting(): void {
    while (greetingWords.includes(this.#words[0])) this.#words.shift();
  }

  #named<K extends string>(table: Readonly<Record<K, readonly string[]>>): K | null {
    const word = this.#words.shift() ?? '';
    const key = keyOf(table, word);
    if (key !== undefined && table[key][0] !== word) this.found.add('synonym');
    return key ?? null;
  }

  thing(): Thing | null {
    return this.#named(things);
  }

  /** `take cup`, or `take not map but cup`. */
  step(): Step | null {
    const act = this.#named(acts);
    const isNegated = this.take('not');
    const other = isNegated ? this.thing() : null;
    if (isNegated && !this.take('but')) return null;
    const thing = this.thing();
    if (act === null || thing === null || (isNegated && (other === null || other === thing))) return null;
    if (isNegated) this.found.add('negation');
    return { act, thing };
  }

  /** Both errands in the order in which they are done. */
  steps(): Goal | null {
    const isBefore = this.take('before');
    const one = this.step();
    const isTurned = isBefore || this.take('after');
    if (!isTurned && !this.take('then')) return null;
    const other = this.step();
    if (isTurned) this.found.add('order');
    if (one === null || other === null || one.thing === other.thing) return null;
    return isTurned ? [other, one] : [one, other];
  }
}

/**
 * What an instruction means, and in which ways it differs from a plain one; null for a text that is none, or
 * that contradicts itself. A letter that is written twice counts once.
 */
export function read(text: string): Instruction | null {
  if (text.length > LONGEST || !/^[a-z ,]*\.$/.test(text)) return null;
  const single = text.replaceAll(/([a-z])\1/g, '$1');
  const reader = new Reader(single.slice(0, -1).replaceAll(',', '').split(' '));
  if (single !== text) reader.found.add('spelling');
  reader.greeting();
  const asides: (Thing | null)[] = [];
  if (reader.take('the')) {
    asides.push(reader.thing());
    if (!reader.take('is') || !reader.take('old')) return null;
  }
  const goal = reader.steps();
  if (reader.take('ignore')) asides.push(reader.thing());
  if (goal === null || !reader.isDone) return null;
  if (asides.length > 0) reader.found.add('distractor');
  if (asides.some((aside) => aside === null || goal.some(({ thing }) => thing === aside))) return null;
  return { goal, changes: changes.filter((change) => reader.found.has(change)) };
}

const others = (...not: readonly Thing[]): readonly Thing[] =>
  thingLetters.filter((thing) => !not.includes(thing));

/** One of two places, or both: at least one. */
const places = (draw: Draws): readonly boolean[] =>
  draw.pick([
    [true, false],
    [false, true],
    [true, true],
  ]);

/** An instruction with this meaning that differs from a plain one in exactly these ways. */
export function say(goal: Goal, how: ReadonlySet<Change>, draw: Draws): string {
  const isReworded = how.has('synonym') ? places(draw) : [false, false];
  const isNegated = how.has('negation') ? places(draw) : [false, false];
  const word = (all: readonly string[], isOther: boolean) => (isOther ? draw.pick(all.slice(1)) : all[0]);
  const [first, second] = goal.map(({ act, thing }, at) => {
    // the act, the thing or both
    const [isAct, isThing] = isReworded[at] ? places(draw) : [false, false];
    const negated = isNegated[at] ? `not ${things[draw.pick(others(thing))][0]} but ` : '';
    return `${word(acts[act], isAct)} ${negated}${word(things[thing], isThing)}`;
  });
  const told = how.has('order')
    ? draw.pick([`${second} after ${first}`, `before ${second}, ${first}`])
    : `${first} then ${second}`;
  const [aside, isAhead] = [things[draw.pick(others(goal[0].thing, goal[1].thing))][0], draw.next() < 0.5];
  const ahead = how.has('distractor') && isAhead ? `the ${aside} is old, ` : '';
  const behind = how.has('distractor') && !isAhead ? `, ignore ${aside}` : '';
  const text = `${ahead}${told}${behind}`;
  return `${draw.pick(greetings)}${how.has('spelling') ? misspelt(text, draw) : text}.`;
}

/** One letter of the text twice. */
const misspelt = (text: string, draw: Draws): string => {
  const letters = [...text].flatMap((letter, at) => (letter >= 'a' ? [at] : []));
  const at = draw.pick(letters);
  return text.slice(0, at) + text[at] + text.slice(at);
};
