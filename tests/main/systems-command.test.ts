import { describe, expect, it } from 'vitest';
import { checkSpec, systemFacts } from '../../engine/index.ts';
import { cli } from '../support/cli.ts';

interface Row {
  readonly system: string;
  readonly class: string;
  readonly status: string;
  readonly evidence: string;
  readonly spec?: unknown;
  readonly plan?: string;
}

describe('the command systems', () => {
  it('gives all systems with state and evidence, and a specification or a plan where there is one', async () => {
    const { code, value } = await cli('systems', '--json');
    const rows = value as Row[];
    expect(code).toBe(0);
    expect(rows).toHaveLength(291);
    expect(rows.some(({ plan }) => plan === 'cream')).toBe(true);
    for (const { system, status, evidence, spec, plan } of rows) {
      expect(system.length * evidence.length).toBeGreaterThan(20);
      expect(['works', 'expressible', 'none', 'n/a']).toContain(status);
      if (plan !== undefined) expect([spec, /works|expressible/.test(status)]).toEqual([undefined, true]);
      else if (status === 'expressible') expect(checkSpec(spec).models.policy.kind).toBe('new');
    }
  });
  it('with --state gives those of the state alone', async () => {
    const { value } = await cli('systems', '--state', 'n/a', '--json');
    const own = systemFacts.filter(({ status }) => status === 'n/a');
    expect((value as Row[]).map(({ system }) => system)).toEqual(own.map(({ name }) => name));
  });
  it('prints a table by cluster with counts', async () => {
    const { out } = await cli('systems');
    expect(out).toMatch(/^5\. Search and votes at test time: .*\d+ none/m);
    expect(out).toMatch(
      /^ {2}TPO \(triple preference\) +core +works +Carried by the method tpo; tested in tests\//m,
    );
    expect(out).toMatch(/^class +works +expressible +none +n\/a +all$/m);
    expect(out).toMatch(/^core +\d+ +\d+ +\d+ +0 +152$/m);
    expect(out).toMatch(/^all +\d+ +\d+ +\d+ +12 +291$/m);
  });
  it('with an id gives that system, with each of its claims: effect, interval, verdict and command', async () => {
    const { value } = await cli('systems', 'crt', '--json');
    expect(value).toMatchObject({
      id: 'crt',
      measured: [
        {
          setting: null,
          seeds: 5,
          budget: expect.stringContaining('400 updates'),
          command: 'npm run bench -- ten --only crt --json',
          claims: expect.arrayContaining([
            expect.objectContaining({
              claim: 'More families found',
              baseline: 'an attacker without novelty',
              effect: 1.2,
              interval: [0.2, 2.6],
              holds: 'yes',
            }),
            expect.objectContaining({ claim: 'No fewer successes', effect: -0.155, holds: 'opposite' }),
          ]),
        },
      ],
    });
    const { out } = await cli('systems', 'crt');
    expect(out).toMatch(/^Measured: 7 of 8 claims hold, the opposite of 1\. 5 seeds, 64,000 tokens/m);
    expect(out).toMatch(
      /^No fewer successes +an attacker without novelty +−\.155 \[−\.193, −\.119\] +opposite$/m,
    );
    expect(out).toMatch(/^Repeat it: npm run bench -- ten --only crt --json$/m);
  });
  it('gives each experiment of a system with several', async () => {
    const { out } = await cli('systems', 'rle');
    expect(out).toMatch(/^Measured: \d+ of 24 claims hold/m);
    expect(out).toMatch(/^Repeat it: npm run bench -- ten --only rle --json$/m);
    expect(out).toMatch(/^Measured in language: 0 of 10 claims hold/m);
    expect(out).toMatch(/^Repeat it: npm run bench -- ten --only rle-language --json$/m);
  });
  it('says of a system without a measurement what it is, and nothing of claims', async () => {
    const { out } = await cli('systems', 'tpo');
    expect(out).toMatch(/^TPO \(triple preference\): works$/m);
    expect(out).not.toMatch(/claim|Measured/);
    expect((await cli('systems', 'tpo', '--json')).value).not.toHaveProperty('measured');
  });
  it('has the claims that hold in the list', async () => {
    const { out } = await cli('systems', '--state', 'works');
    expect(out).toMatch(/^ {2}CRT .*Measured: 7 of 8 claims hold, the opposite of 1 \(systems crt\)\.$/m);
  });
  it('refuses an id that there is not, and an id together with a state', async () => {
    expect(await cli('systems', 'no-such', '--json')).toMatchObject({
      code: 1,
      value: { error: { kind: 'not-found', message: "There is no system 'no-such'." } },
    });
    expect(await cli('systems', 'crt', '--state', 'works', '--json')).toMatchObject({
      code: 1,
      value: { error: { kind: 'invalid-input', where: '--state' } },
    });
  });
  it('refuses a state that there is not, and names those that there are', async () => {
    expect(await cli('systems', '--state', 'done', '--json')).toMatchObject({
      code: 1,
      value: {
        error: {
          kind: 'invalid-input',
          where: '--state',
          hint: expect.stringContaining('works, expressible'),
        },
      },
    });
  });
});
