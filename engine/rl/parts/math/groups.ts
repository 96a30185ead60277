/** Rows of a group: the answers to one prompt that are compared with one another. */

/** The rows of each group, groups in the order of their first rows. */
export const groupsOf = (groupId_R: Float64Array): number[][] => [
  ...Map.groupBy(groupId_R.keys(), (r) => groupId_R[r]).values(),
];

/** Rows of each group, by reward, highest first; ties keep their order. */
export const ranked = (groupId: Float64Array, rewards_R: Float64Array): number[][] =>
  groupsOf(groupId).map((rows) => rows.sort((a, b) => rewards_R[b] - rewards_R[a] || a - b));

/** Groups whose rewards are not all equal. */
export const varied = (groupId_R: Float64Array, rewards_R: Float64Array): Set<number> => {
  const first = new Map<number, number>();
  const found = new Set<number>();
  groupId_R.forEach((group, r) => {
    const reward = first.get(group);
    if (reward === undefined) first.set(group, rewards_R[r]);
    else if (reward !== rewards_R[r]) found.add(group);
  });
  return found;
};
