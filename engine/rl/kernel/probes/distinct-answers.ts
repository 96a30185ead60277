import { defineProbe, type Measured } from './probe.ts';

/**
 * Distinct texts as a share of the answers of a group, averaged over groups of at least two: 1 if no two
 * answers of a group are equal. Not measured without such a group.
 */
export const distinctAnswers = defineProbe({
  id: 'distinct-answers',
  needs: ['groupId', 'completion'],
  measure: ({ groupId, completion }): Measured => {
    const groups = new Map<number, { readonly texts: Set<string>; size: number }>();
    completion.forEach((text, r) => {
      const group = groups.get(groupId[r]);
      if (!group) groups.set(groupId[r], { texts: new Set([text]), size: 1 });
      else {
        group.texts.add(text);
        group.size++;
      }
    });
    let shares = 0;
    let compared = 0;
    for (const { texts, size } of groups.values()) {
      if (size < 2) continue;
      shares += texts.size / size;
      compared++;
    }
    return compared === 0 ? {} : { 'completions/distinct': shares / compared };
  },
});
