import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import Database from 'better-sqlite3';
import { Connections } from '../../../src/store/sqlite/connection.ts';
import { WalIndex } from '../../../src/store/sqlite/wal-index.ts';

const ADD = 'INSERT INTO numbers DEFAULT VALUES';

describe('the index of the write-ahead log', { skip: process.platform !== 'linux' }, () => {
  let folder: string;
  let path: string;
  let db: Database.Database;
  let index: WalIndex;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'votary-wal-'));
    path = join(folder, 'test.db');
    db = new Database(path);
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE numbers (number INTEGER PRIMARY KEY)');
    index = openIndex();
    assert.equal(index.hasChanged(), true, 'the first header is new');
  });
  afterEach(() => {
    db.close();
    index.close();
    rmSync(folder, { recursive: true });
  });

  function openIndex(): WalIndex {
    const opened = WalIndex.open(path);
    assert.ok(opened);
    return opened;
  }

  function assertChangedOnce(reason: string): void {
    assert.equal(index.hasChanged(), true, reason);
    assert.equal(index.hasChanged(), false, reason);
  }

  // It stands in for data_version, so a version of SQLite that changes the one and not the other must fail here.
  test('changes with every commit of another connection, as data_version does', () => {
    const other = new Database(path);
    const version = db.prepare<[], number>('PRAGMA data_version').pluck();
    let before = version.get();
    index.hasChanged();
    for (let commit = 0; commit < 500; commit += 1) {
      other.exec(ADD);
      assertChangedOnce(`commit ${commit}`);
      if (commit % 7 === 0) other.pragma('wal_checkpoint(PASSIVE)');
      if (commit % 11 === 0) other.pragma('wal_checkpoint(FULL)');
      if (commit % 20 === 0) other.pragma('wal_checkpoint(RESTART)');
      if (commit % 50 === 0) other.pragma('wal_checkpoint(TRUNCATE)');
      index.hasChanged();
      assert.notEqual(version.get(), before);
      before = version.get();
    }
    other.close();
  });

  test('changes with a commit of another process', () => {
    const script = `new (require('better-sqlite3'))(process.argv[1]).exec('${ADD}')`;
    execFileSync(process.execPath, ['-e', script, path], { cwd: import.meta.dirname });
    assertChangedOnce('a commit of another process');
  });

  test('changes with a commit of the same connection', () => {
    db.exec(ADD);
    assertChangedOnce('a commit');
  });

  test('changes when a transaction is committed, not before', () => {
    const other = new Database(path);
    // More than fits into memory, so that it is written to the log before the end.
    other.pragma('cache_size = 1');
    other.exec('BEGIN');
    for (let row = 0; row < 5000; row += 1) other.exec(ADD);
    assert.equal(index.hasChanged(), false);
    other.exec('COMMIT');
    assertChangedOnce('a commit');
    other.close();
  });

  test('does not change by reading, or by a transaction that is rolled back', () => {
    const other = new Database(path);
    other.exec(`BEGIN; ${ADD}; ROLLBACK`);
    other.prepare('SELECT * FROM numbers').all();
    other.close();
    assert.equal(index.hasChanged(), false);
  });

  test('is read by the connections of a store, and closed after the last connection of the process', async () => {
    const [first, second] = [new Connections(path), new Connections(path)];
    assert.ok(first.walIndex && second.walIndex);
    index.close();
    await first.close();
    assert.equal(second.walIndex.hasChanged(), true);
    assert.equal(second.walIndex.hasChanged(), false);
    await second.close();
    assert.equal(countDescriptors(), 1, 'the locks of the open connection are kept');
    index = openIndex();
    db.close();
    index.close();
    assert.equal(countDescriptors(), 0);
    db = new Database(path);
    db.exec(ADD);
    index = openIndex();
  });

  test('is closed once, however often that is asked for', async () => {
    const [first, second] = [new Connections(path), new Connections(path)];
    await first.close();
    first.walIndex?.close();
    first.walIndex?.close();
    assert.equal(second.walIndex?.hasChanged(), true);
    assert.equal(second.walIndex?.hasChanged(), false);
    await second.close();
    assert.equal(first.walIndex?.hasChanged(), true, 'a closed index is not read');
  });

  test('stays open while another connection needs its locks, and is closed later', () => {
    index.close();
    assert.equal(countDescriptors(), 1);
    db.close();
    db = new Database(join(folder, 'other.db'));
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (number INTEGER)');
    path = join(folder, 'other.db');
    index = openIndex();
    path = join(folder, 'test.db');
    assert.equal(countDescriptors(), 0);
  });

  test('keeps the locks of a connection when the folder has been renamed', () => {
    const renamed = `${folder}-renamed`;
    renameSync(folder, renamed);
    path = join(renamed, 'test.db');
    index.close();
    assert.equal(countDescriptors(), 1);
    renameSync(renamed, folder);
  });

  test('is not used on a file system that may return older bytes', () => {
    const network = 0xff534d42;
    assert.equal(
      WalIndex.open(path, () => network),
      undefined,
    );
  });

  /** Descriptors of the file, deleted or not, that only read: SQLite itself opens it to read and write. */
  function countDescriptors(): number {
    return readdirSync('/proc/self/fd').filter((id) => {
      try {
        const isOfFile = readlinkSync(`/proc/self/fd/${id}`).startsWith(`${path}-shm`);
        return isOfFile && /flags:\s+\d*0\n/.test(readFileSync(`/proc/self/fdinfo/${id}`, 'utf8'));
      } catch {
        // That of the listing itself.
        return false;
      }
    }).length;
  }

  test('is that of the file behind a link, not one that was left beside the link', () => {
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    writeFileSync(`${link}-shm`, Buffer.alloc(32_768));
    const linked = new Database(link);
    const ofLink = WalIndex.open(link);
    assert.ok(ofLink);
    ofLink.hasChanged();
    linked.exec(ADD);
    assert.equal(ofLink.hasChanged(), true);
    linked.close();
    ofLink.close();
  });

  test('cannot be opened without a connection that uses it', () => {
    assert.equal(WalIndex.open(join(folder, 'missing.db')), undefined);
    assert.equal(WalIndex.open(':memory:'), undefined);
    const withJournal = join(folder, 'journal.db');
    const other = new Database(withJournal);
    other.exec('CREATE TABLE numbers (number INTEGER)');
    writeFileSync(`${withJournal}-shm`, Buffer.alloc(32_768));
    assert.equal(WalIndex.open(withJournal), undefined);
    other.close();
  });
});
