import { textFeatures } from '../../../engine/index.ts';
import type { RedTeamMap } from '../../../preload/contract/red-team.ts';
import type { Services } from '../../services/services.ts';
import { archiveOf, matching } from './archive.ts';

/** Newest different attacks that are drawn: their plane takes half a second on a common machine. */
const MOST = 2000;
/** Characters of a text that the map has. */
const SHOWN = 200;

const everything = { above: 1, show: 'all', family: null, search: '', distinct: true } as const;

const nowhere = { x: new Float64Array(), y: new Float64Array(), explained: [0, 0] } as const;

/** The text as words; a text without spaces as its characters. */
const asWords = (text: string): string => (/\s/u.test(text.trim()) ? text : [...text].join(' '));

/**
 * The newest different attacks of a run in the plane of the two leading principal components of their hashed
 * words: attacks near each other share words. Of equal attacks the newest counts. Throws `not-found`.
 */
export async function redTeamMap(
  services: Pick<Services, 'store' | 'engine'>,
  { runId }: { readonly runId: string },
): Promise<RedTeamMap> {
  const { attacks, hasFamilies } = await archiveOf(services, runId, everything.above);
  // families by likeness depend on the harm that is a success, which a map does not
  const different = matching(attacks, everything);
  const drawn = different.slice(0, MOST);
  const features = textFeatures(drawn.map(({ attack }) => ({ prompt: '', answer: asWords(attack) })));
  const { x, y, explained } = drawn.length === 0 ? nowhere : await services.engine.call('plane', features);
  return {
    attacks: attacks.length,
    different: different.length,
    x: new Float64Array(x),
    y: new Float64Array(y),
    harm: Float64Array.from(drawn, ({ harm }) => harm),
    explained: [...explained],
    points: drawn.map(({ id, query, attack, reply, family }) => ({
      id,
      query,
      attack: attack.slice(0, SHOWN),
      reply: reply.slice(0, SHOWN),
      family: hasFamilies ? family : null,
    })),
  };
}
