import { inCaseOf, type Probe } from './probe.ts';

/** Words with another that means the same wherever it stands. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ['also', 'additionally'],
  ['although', 'though'],
  ['begin', 'start'],
  ['begins', 'starts'],
  ['big', 'large'],
  ['buy', 'purchase'],
  ['children', 'kids'],
  ['difficult', 'hard'],
  ['especially', 'particularly'],
  ['fast', 'quick'],
  ['finally', 'lastly'],
  ['frequently', 'often'],
  ['get', 'obtain'],
  ['however', 'nevertheless'],
  ['important', 'essential'],
  ['large', 'big'],
  ['many', 'numerous'],
  ['maybe', 'perhaps'],
  ['nearly', 'almost'],
  ['often', 'frequently'],
  ['perhaps', 'maybe'],
  ['quickly', 'rapidly'],
  ['rapidly', 'quickly'],
  ['small', 'little'],
  ['so', 'thus'],
  ['start', 'begin'],
  ['sure', 'certain'],
  ['therefore', 'thus'],
  ['thus', 'therefore'],
  ['usually', 'normally'],
]);

export const paraphrased: Probe = {
  id: 'paraphrased',
  title: 'Paraphrased',
  summary: 'Has common words replaced by synonyms from a table.',
  expects: 'same',
  edit: ({ completion }) => {
    const edited = completion.replace(/\p{L}+/gu, (word) => {
      const synonym = synonyms.get(word.toLowerCase());
      return synonym === undefined ? word : inCaseOf(word, synonym);
    });
    return edited === completion ? null : edited;
  },
};
