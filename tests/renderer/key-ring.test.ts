import { expect, it, onTestFinished } from 'vitest';
import { KeyRing } from '../../renderer/lib/key-ring.ts';

function ring(): { ring: KeyRing; found: string[] } {
  const found: string[] = [];
  const made = new KeyRing((key) => found.push(key));
  onTestFinished(() => made.close());
  return { ring: made, found };
}
const delivered = () => new Promise((resolve) => setTimeout(resolve, 50));

it('shares a valid key only with the tab that requests it', async () => {
  const [owner, asking, other] = [ring(), ring(), ring()];
  owner.ring.share('k1');
  asking.ring.ask();
  await delivered();
  expect([owner.found, [...new Set(asking.found)], other.found]).toEqual([[], ['k1'], []]);
});

it('answers an earlier request once a tab has a key; does not share a revoked key', async () => {
  const [waiting, owner, late] = [ring(), ring(), ring()];
  waiting.ring.ask();
  await delivered();
  expect(waiting.found).toEqual([]);
  owner.ring.share('k2');
  await delivered();
  expect(waiting.found).toEqual(['k2']);
  owner.ring.share(null);
  late.ring.ask();
  await delivered();
  expect(late.found).toEqual([]);
});
