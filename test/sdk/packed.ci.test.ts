import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { packSdk } from '../../scripts/sdk-package.ts';
import { VERSION } from '../../sdk/src/version.ts';
import { makeHome } from '../cli/votary.ts';
import { ownNode, packAndInstall, run } from './packed.ts';
import { SECRET, sign, VOTE_BODY } from './webhook/deliveries.ts';

const ROOT = join(import.meta.dirname, '../..');
const packed = packAndInstall();

describe('the packed package', () => {
  it('is smaller than 52 kB', () => assert.ok(packed.tarballBytes < 52_000, `${packed.tarballBytes} bytes`));

  it('does not load the management client unless it is imported', () => {
    const dist = join(packed.project, 'node_modules/@votary/sdk/dist');
    const loaded = new Set<string>();
    const follow = (path: string) => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(/ from '(\.[^']+)'/g))
        follow(join(path, '..', target));
    };
    follow(join(dist, 'index.js'));
    assert.ok(loaded.size > 10);
    assert.deepEqual(
      [...loaded].filter((path) => path.startsWith(join(dist, 'manage'))),
      [],
    );
  });

  it('contains only the build output, README, changelog and license', () => {
    const papers = packed.files.filter((path) => !/^dist\/[\w/-]+\.(?:js|d\.ts)$/.test(path));
    assert.deepEqual(papers.toSorted(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    assert.ok(packed.files.includes('dist/index.js') && packed.files.includes('dist/index.d.ts'));
  });

  it('has the same content if it is packed without npm, as a site does that runs from a clone', async () => {
    const [folder, installed] = [
      join(packed.project, 'unpacked'),
      join(packed.project, 'node_modules/@votary/sdk'),
    ];
    const tarball = await packSdk(ROOT);
    mkdirSync(folder);
    writeFileSync(join(folder, 'sdk.tgz'), tarball);
    run('tar', ['-xzf', 'sdk.tgz'], { cwd: folder });
    const unpacked = join(folder, 'package');
    const names = readdirSync(unpacked, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(unpacked, name)).isFile())
      .map((name) => name.replaceAll('\\', '/'));
    assert.deepEqual(names.toSorted(), packed.files.toSorted());
    for (const name of names)
      assert.ok(readFileSync(join(unpacked, name)).equals(readFileSync(join(installed, name))), name);
    assert.ok((await packSdk(ROOT)).equals(tarball));
  });

  it('has no dependencies, supports Node 20 and newer, and reports its version', () => {
    const manifest = JSON.parse(
      readFileSync(join(packed.project, 'node_modules/@votary/sdk/package.json'), 'utf8'),
    );
    assert.deepEqual(
      [manifest.dependencies, manifest.peerDependencies, manifest.engines, manifest.version],
      [undefined, undefined, { node: '>=20' }, VERSION],
    );
  });
});

describe('the types of the packed package', () => {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
  };
  const projects: [name: string, files: string[], options: object][] = [
    [
      'in the runtimes of the web',
      ['types.ts', 'manage-types.ts'],
      { module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
    ],
    [
      'for a bundler',
      ['types.ts', 'manage-types.ts'],
      { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
    ],
    // Do not check the types of other packages.
    [
      'in Node',
      ['types.ts', 'manage-types.ts', 'node-types.ts'],
      { module: 'nodenext', lib: ['es2022'], types: ['node'], skipLibCheck: true },
    ],
  ];
  // The last of them uses Express, Fastify and the types of Node.
  before(() => {
    for (const name of ['express', 'fastify', '@types']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(packed.project, 'node_modules', name), 'junction');
    }
  });
  for (const [name, files, options] of projects) {
    it(`are correct for ${name}, in a strict project`, () => {
      const config = join(packed.project, 'tsconfig.json');
      writeFileSync(config, JSON.stringify({ compilerOptions: { ...strict, ...options }, files }));
      run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config], { cwd: packed.project });
    });
  }
});

const own = ownNode(process.env.PATH ?? '');
const NODES: [name: string, node: string | undefined][] = [
  ['the pinned Node', process.execPath],
  ['the Node of this machine', own],
];

for (const [name, node] of NODES) {
  describe(`the packed package under ${name}`, { skip: node ? false : 'there is none' }, async () => {
    const { report, managed } = node ? await smoke(node) : { report: {}, managed: {} };

    it('checks votes, by id and by name', () => {
      assert.deepEqual(
        [report.byId.hasVoted, report.byName.hasVoted, report.unknown.hasVoted],
        [true, true, false],
      );
      assert.equal(report.unknown.lastVoteAt, null);
      assert.ok(report.byId.cooldownRemainingSeconds > 3500);
    });

    it('lists votes page by page', () => {
      assert.equal(report.month.votes, 20);
      assert.deepEqual([report.month.isDate, report.pagesMeet], [true, true]);
    });

    it('lists all votes of 60 days, in order', () => {
      assert.ok(report.all > report.month.total, `${report.all} of ${report.month.total}`);
      assert.ok(report.isSorted);
    });

    it('lists the votes of one user', () => {
      assert.ok(report.own > 0);
      assert.deepEqual([report.own, report.user], [report.ownOfAll, '200000000000000001']);
    });

    for (const [call, code, status] of [
      ['wrongKey', 'INVALID_API_TOKEN', 401],
      ['badUser', 'INVALID_USER_ID', 400],
      ['badCursor', 'INVALID_CURSOR', 400],
      ['tooLong', 'DATE_RANGE_TOO_LARGE', 400],
      ['noIdentity', 'MISSING_IDENTIFIER', 400],
      ['twoIdentities', 'MULTIPLE_IDENTIFIERS', 400],
    ] as const) {
      it(`reports ${code}`, () => {
        const error = report[call];
        assert.deepEqual([error.isVotaryError, error.code, error.status], [true, code, status]);
      });
    }

    it('reports a validation error with its field', () => {
      assert.ok(report.badId.isVotaryValidationError);
      assert.deepEqual(
        report.badId.fields.map(({ field }: { field: string }) => field),
        ['discord_id'],
      );
    });

    it('uses French on request', () => assert.match(report.wrongKey.message, /clé/));

    it('claims a vote once, replays the response, and releases it', () => {
      const { mismatch, badVote, ...claims } = report.claims;
      assert.deepEqual(claims, {
        first: true,
        isReplayed: true,
        other: false,
        overview: [0, 1],
        released: [true, false],
        pending: 1,
      });
      assert.deepEqual([mismatch.code, badVote.code], ['IDEMPOTENCY_MISMATCH', 'INVALID_VOTE_ID']);
    });

    it('follows the feed, checks many users in one request, and creates vote links', () => {
      assert.deepEqual(report.feed, { names: ['Steve_42'], hasCursor: true });
      assert.deepEqual(report.batch, [true, false]);
      assert.match(
        report.link,
        /\/guild\/100000000000000001\/vote\?external_id=Steve_42&return_to=https%3A%2F%2Fexample.org%2F$/,
      );
    });

    it('manages communities, votes and bans', () => {
      const { created, names, premium, votes } = managed;
      assert.deepEqual([created, premium, votes], ['Packed', '2100-01-01T00:00:00.000Z', 1]);
      assert.ok(names.length > 1 && names.includes('Packed'));
    });

    it('reports why a vote is refused, with errors that both parts of the package know', () => {
      const { next: nextVoteAt, banned, again, wrong } = managed;
      const refusal = { reason: null, nextVoteAt: null, isKnown: true };
      assert.deepEqual(banned, { ...refusal, code: 'NOT_ELIGIBLE', status: 403, reason: 'banned' });
      assert.deepEqual(again, { ...refusal, code: 'ALREADY_VOTED', status: 409, nextVoteAt });
      assert.deepEqual(wrong, { ...refusal, code: 'INVALID_TOKEN', status: 401 });
    });

    it('verifies a webhook and handles it', () => {
      assert.equal(report.verified, true);
      assert.deepEqual(report.delivered, { statuses: [204, 400], users: ['200000000000000001'] });
    });
  });
}

/** Runs both smoke scripts in the empty project against its own service, whose certificate they trust. */
async function smoke(node: string) {
  const home = await makeHome({ VOTARY_PORT: '0', VOTARY_RATE_LIMIT: '200' });
  const server = home.start('serve', '--demo', '--json');
  assert.ok(server.stdout);
  const [line] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
  const { url, demo } = JSON.parse(String(line));
  const webhook = { secret: SECRET, body: VOTE_BODY, headers: sign(VOTE_BODY, { at: Date.now() }) };
  const { key: apiKey, user_id: userId, external_id: externalId } = demo;
  const { token } = Object(await home.json('token', 'create', '--name', 'Packed'));
  const env = {
    SMOKE: JSON.stringify({ baseUrl: url, token, apiKey, userId, externalId, webhook }),
    NODE_EXTRA_CA_CERTS: join(home.dataDir, 'tls', 'cert.pem'),
  };
  const printed = (script: string) => JSON.parse(run(node, [script], { cwd: packed.project, env }));
  const [report, managed] = [printed('smoke.mjs'), printed('manage.mjs')];
  server.kill();
  await once(server, 'exit');
  return { report, managed };
}
