import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { createTestDatabase, runOn } from '../support/postgres/postgres.ts';
import { assertDone, GUILD, type Home, makeHome } from './votary.ts';

/** The outcome of each check, by its name. */
async function diagnose(home: Home): Promise<{ code: number | null; checks: Record<string, string> }> {
  const { code, stdout } = await home.votary('doctor', '--json');
  const { checks } = JSON.parse(stdout);
  const entries = checks.map(({ check, status, message }: Record<string, string>) => [
    check,
    `${status}: ${message}`,
  ]);
  return { code, checks: Object.fromEntries(entries) };
}

async function makeUsedHome(variables: Record<string, string> = {}): Promise<Home> {
  const home = await makeHome(variables);
  assertDone(await home.votary('guild', 'add', GUILD));
  assertDone(await home.votary('key', 'generate', GUILD));
  return home;
}

describe('votary doctor', () => {
  it('changes nothing and reports no problem where nothing is set up yet', async () => {
    const home = await makeHome();
    const { code, checks } = await diagnose(home);
    assert.equal(code, 0);
    assert.match(checks.database ?? '', /^ok: does not exist yet/);
    assert.match(checks['sign-in'] ?? '', /^warning: not configured/);
    await assert.rejects(stat(home.dataDir), { code: 'ENOENT' });
  });

  it('names files that cannot be created, and what to change', async () => {
    const home = await makeHome();
    const file = await home.file('not-a-folder', '');
    const stuck = await makeHome({ VOTARY_DATA_DIR: join(file, 'data') });
    const { code, checks } = await diagnose(stuck);
    assert.equal(code, 1);
    assert.match(checks.database ?? '', /^failed: cannot create .*\/votary\.db: not a directory$/);
    assert.match(checks.certificate ?? '', /^failed: cannot create .*\/tls\/key\.pem: not a directory$/);
    const { stdout } = await stuck.votary('doctor');
    assert.match(
      stdout,
      /-> set VOTARY_DATABASE_URL to a location that the user of the service can write to/,
    );

    // A file system that rejects new folders although root may write there.
    const unwritable = await diagnose(await makeHome({ VOTARY_DATABASE_URL: 'sqlite:/proc/nope/votary.db' }));
    assert.match(unwritable.checks.database ?? '', /^failed: cannot create \/proc\/nope\/votary\.db/);
    assert.match(unwritable.checks.secret ?? '', /^ok: does not exist yet/);
    const { checks: inProc } = await diagnose(await makeHome({ VOTARY_DATA_DIR: '/proc/nope' }));
    assert.match(inProc.secret ?? '', /^failed: cannot create \/proc\/nope\/secret/);
  });

  it('reports no problem for a database in use', async () => {
    const { code, checks } = await diagnose(await makeUsedHome());
    assert.equal(code, 0);
    assert.match(checks.database ?? '', /^ok: SQLite 3\.\S+, schema version (\d+) of \1$/);
    assert.match(checks.secret ?? '', /^ok: .*secret matches the database/);
    assert.match(checks['file modes'] ?? '', /^ok/);
    assert.match(checks.disk ?? '', /MB free/);
    assert.match(checks.fonts ?? '', /^(?:ok: cards can show names in|warning: no font for) Chinese/);
  });

  it('reports a missing secret, a wrong one, and files that others can read', async () => {
    const home = await makeUsedHome();
    await chmod(join(home.dataDir, 'votary.db'), 0o644);
    await rm(join(home.dataDir, 'secret'));
    const lost = await diagnose(home);
    assert.equal(lost.code, 1);
    assert.match(lost.checks.secret ?? '', /^failed: .*secret is missing/);
    assert.match(lost.checks['file modes'] ?? '', /^warning: readable by other users: .*votary\.db/);
    const variables = { VOTARY_DATA_DIR: home.dataDir, VOTARY_SECRET: 'a wrong secret of this test' };
    const wrong = await diagnose(await makeHome(variables));
    assert.match(wrong.checks.secret ?? '', /^failed: VOTARY_SECRET is not the one/);
  });

  it('says whether this program can use a newer schema', async () => {
    const home = await makeUsedHome();
    const addVersion = (version: number, oldestCompatible: number) =>
      new Database(join(home.dataDir, 'votary.db'))
        .exec(
          `INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible) VALUES (${version}, 'later', 0, ${oldestCompatible})`,
        )
        .close();
    addVersion(9998, 1);
    const usable = await diagnose(home);
    assert.equal(usable.code, 0);
    assert.match(
      usable.checks.database ?? '',
      /^ok: .*schema version 9998 of \d+: newer than this program, which can still use it/,
    );
    assertDone(await home.votary('key', 'generate', GUILD));
    addVersion(9999, 9999);
    const tooNew = await diagnose(home);
    assert.equal(tooNew.code, 1);
    assert.match(tooNew.checks.database ?? '', /^failed: .*newer than this program/);
  });

  it('checks PostgreSQL: version, clock, and whether it accepts writes', async (t) => {
    const { url, drop } = await createTestDatabase();
    t.after(drop);
    const variables = { VOTARY_DATABASE_URL: url, VOTARY_SECRET: 'a secret of this test, long' };
    const before = await diagnose(await makeHome(variables));
    assert.match(before.checks.database ?? '', /^ok: PostgreSQL \d\S*, empty; serve creates the tables/);
    const used = await diagnose(await makeUsedHome(variables));
    assert.match(used.checks.database ?? '', /^ok: PostgreSQL/);
    assert.match(used.checks.clock ?? '', /^ok: 0\.\d s off/);
    assert.match(used.checks.secret ?? '', /^ok: VOTARY_SECRET matches/);
    const readOnly = `${url}${url.includes('?') ? '&' : '?'}options=-c%20default_transaction_read_only%3Don`;
    const standby = await diagnose(await makeHome({ ...variables, VOTARY_DATABASE_URL: readOnly }));
    assert.equal(standby.code, 1);
    assert.match(standby.checks.database ?? '', /^failed: .*read-only/);
    await runOn(
      url,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END
       $$;
       CREATE TRIGGER refuse BEFORE INSERT ON write_probes FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const full = await diagnose(await makeHome(variables));
    assert.match(full.checks.database ?? '', /^failed: .*its disk is full/);
  });

  it('skips clock and secret without the database', async () => {
    const { code, checks } = await diagnose(
      await makeHome({
        VOTARY_DATABASE_URL: 'postgres://votary:wrong@127.0.0.1:1/votary',
        VOTARY_SECRET: 'a secret of this test, long',
      }),
    );
    assert.equal(code, 1);
    assert.match(checks.database ?? '', /^failed: .*there is no response/);
    assert.equal(checks.clock, 'warning: not checked');
    assert.equal(checks.secret, 'warning: not checked');
  });

  it('checks the disk of the database, and never suggests to restrict a system folder', async () => {
    const database = await mkdtemp(join(tmpdir(), 'votary-doctor-'));
    await chmod(database, 0o755);
    const { checks } = await diagnose(await makeHome({ VOTARY_DATABASE_URL: `sqlite:${database}` }));
    await rm(database, { recursive: true });
    assert.match(checks.disk ?? '', new RegExp(`MB free for ${tmpdir()}$`));
    assert.match(checks['file modes'] ?? '', /^ok/);
  });

  it('says what to do in one line per problem', async () => {
    const home = await makeHome({ VOTARY_PUBLIC_URL: 'https://v.example' });
    const { code, stdout } = await home.votary('doctor');
    assert.equal(code, 0);
    assert.match(stdout, /^WARNING +certificate +self-signed.*\n +-> browsers warn about it/m);
  });
});
