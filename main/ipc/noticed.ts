import type { Services } from '../services/services.ts';

/** Lets the judges look for work once labels have changed. */
export async function noticed<T>({ judges }: Pick<Services, 'judges'>, change: Promise<T>): Promise<T> {
  const output = await change;
  judges.noticed();
  return output;
}
