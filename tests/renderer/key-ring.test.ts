import { expect, it, onTestFinished } from 'vitest';
import { KeyRing } from '../../renderer/lib/key-ring.ts';

function ring(): { ring: KeyRing; found: string[] } {
  const found: string[] = [];
  const made = new KeyRing((key) => found.push(key));
  onTestFinished(() => made.close());
  return { ring: made, found };
}
const heard = () => new Promise((resolve) => setTimeout(resolve, 50));

it('a tab with a good key gives it to one that asks, and to nobody else', async () => {
  const [owner, asking, other] = [ring(), ring(), ring()];
  owner.ring.share('k1');
  asking.ring.ask();
  await heard();
  expect([owner.found, [...new Set(asking.found)], other.found]).toEqual([[], ['k1'], []]);
});

it('a tab that asked before anybody had a key gets the one that comes; a key that is no longer good is not given', async () => {
  const [waiting, owner, late] = [ring(), ring(), ring()];
  waiting.ring.ask();
  await heard();
  expect(waiting.found).toEqual([]);
  owner.ring.share('k2');
  await heard();
  expect(waiting.found).toEqual(['k2']);
  owner.ring.share(null);
  late.ring.ask();
  await heard();
  expect(late.found).toEqual([]);
});
