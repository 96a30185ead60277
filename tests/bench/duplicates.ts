import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DEFAULT_BANDS,
  DEFAULT_SHINGLE,
  DEFAULT_THRESHOLD,
} from '../../engine/data/doctor/near-duplicates.ts';
import { processor, rounded, say } from './figures.ts';
import type { Planted } from './ours/documents.ts';
import { openOurs, openPeer, peerMissing, type Side } from './side.ts';

/** Times in seconds, memory in MB without the documents; `recall` and `precision` of planted near duplicates. */
export interface DuplicateFigures {
  readonly documents: number;
  readonly seconds: number;
  readonly peakMb: number | null;
  readonly recall: number;
  readonly precision: number;
  readonly planted: number;
  readonly compared: number;
  readonly skipped: number;
  readonly peerSeconds: number | null;
  readonly peerPeakMb: number | null;
  readonly peerRecall: number | null;
  /** The peer's time ÷ ours. */
  readonly ratio: number | null;
}

interface Ours {
  readonly seconds: number;
  readonly peakMb: number | null;
  readonly near: readonly (readonly [number, number])[];
  readonly found: number;
  readonly links: number;
  readonly plantedLinks: number;
  readonly compared: number;
  readonly skipped: number;
}
interface Peer {
  readonly seconds: number;
  readonly peakMb: number | null;
  readonly found: number;
}

const asked = async <T>(side: Side, call: string, args: object): Promise<T> => {
  try {
    return await side.ask<T>(call, args);
  } finally {
    await side.close();
  }
};

/** Near duplicates among generated documents, a twentieth of them edited copies, by us and by datasketch. */
export const measureDuplicates = async ({
  documents: count,
  seed,
}: {
  documents: number;
  seed: number;
}): Promise<DuplicateFigures> => {
  const missing = peerMissing('datasketch');
  say(missing ? `The comparison was skipped: ${missing}` : `${processor()}; the peer is datasketch`);
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-bench-'));
  try {
    const file = join(folder, 'documents.jsonl');
    const planted = await asked<readonly Planted[]>(openOurs('duplicates-side', 1), 'make', {
      count,
      seed,
      file,
    });
    const ours = await asked<Ours>(openOurs('duplicates-side', 1), 'find', {
      file,
      threshold: DEFAULT_THRESHOLD,
      planted,
    });
    const near = ours.near;
    const share = (part: number, whole: number) => (whole === 0 ? 1 : rounded(part / whole));
    say(`${count} documents: ${rounded(ours.seconds)} s, ${ours.found} of ${near.length} planted found`);
    const peer =
      missing === undefined
        ? await asked<Peer>(openPeer('duplicates', 1), 'find', {
            file,
            ...DEFAULT_BANDS,
            shingle: DEFAULT_SHINGLE,
            near,
          })
        : null;
    return {
      documents: count,
      seconds: rounded(ours.seconds),
      peakMb: ours.peakMb === null ? null : rounded(ours.peakMb),
      recall: share(ours.found, near.length),
      precision: share(ours.plantedLinks, ours.links),
      planted: near.length,
      compared: ours.compared,
      skipped: ours.skipped,
      peerSeconds: peer && rounded(peer.seconds),
      peerPeakMb: peer?.peakMb == null ? null : rounded(peer.peakMb),
      peerRecall: peer && share(peer.found, near.length),
      ratio: peer && rounded(peer.seconds / ours.seconds),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
