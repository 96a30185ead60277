import { WhetstoneError } from '../../engine/common/errors.ts';

export interface Scored {
  readonly prompt: string;
  readonly completion: string;
}

/** Scores one by one what a judge refuses together: an item that it cannot read has none. */
export const patient =
  <T, S>(score: (items: readonly T[]) => Promise<readonly S[]>) =>
  async (items: readonly T[]): Promise<readonly (S | null)[]> => {
    try {
      return await score(items);
    } catch (error) {
      if (WhetstoneError.from(error).kind !== 'invalid-input') throw error;
      if (items.length === 1) return [null];
      const scores: (S | null)[] = [];
      for (const item of items) scores.push(...(await patient(score)([item])));
      return scores;
    }
  };
