/** How bin/bundle.js loads the program of the package, with a small program in its place. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';

const LOADER = join(import.meta.dirname, '../../bin/bundle.js');

const PROGRAM = `"use strict";const path=require('node:path');exports.run=()=>[__dirname,path.basename(__filename),'one'];
exports.fail=()=>{throw new Error('failed')};`;

describe('bin/bundle.js', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'votary-bundle-'));
  const file = join(folder, 'program.cjs');
  const cache = join(folder, 'cache');
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    rmSync(cache, { recursive: true, force: true });
    writeFileSync(file, PROGRAM);
  });

  type Options = { canStore?: boolean; env?: Record<string, string>; call?: string };

  /** Loads the program in a new process, calls it, stores its code, and returns what the call did. */
  function load({ canStore = true, env = {}, call = 'run()' }: Options = {}): unknown {
    const script = `
      import { enableCompileCache } from 'node:module';
      import { loadBundle } from ${JSON.stringify(LOADER)};
      enableCompileCache(${JSON.stringify(cache)});
      const { program, storeCode } = loadBundle(${JSON.stringify(file)}, { canStore: ${canStore} });
      console.log(JSON.stringify(await program.${call}));
      storeCode();`;
    const args = ['--input-type=module', '--eval', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    assert.equal(stderr, '');
    return JSON.parse(stdout);
  }

  function storedFiles(): { path: string; inode: number }[] {
    const names = readdirSync(cache, { recursive: true, encoding: 'utf8' });
    const paths = names.filter((name) => name.includes('.code')).map((name) => join(cache, name));
    return paths.map((path) => ({ path, inode: statSync(path).ino }));
  }

  it('gives the program what a CommonJS module has', () => {
    const expected = [folder, 'program.cjs', 'one'];
    assert.deepEqual(load(), expected);
    assert.deepEqual(load(), expected);
  });

  it('stores the code once, and loads it in later processes', () => {
    load();
    const stored = storedFiles();
    assert.equal(stored.length, 1);
    load();
    load({ canStore: false });
    assert.deepEqual(storedFiles(), stored);
  });

  it('does not store the code of a command', () => {
    load({ canStore: false });
    assert.deepEqual(storedFiles(), []);
  });

  it('replaces a file that is damaged, cut off or empty', () => {
    load();
    const path = storedFiles()[0]?.path ?? '';
    const bytes = readFileSync(path);
    const damaged = Buffer.from(bytes);
    damaged.fill(255, bytes.length / 2, bytes.length / 2 + 8);
    for (const content of [damaged, bytes.subarray(0, 100), Buffer.alloc(0), Buffer.alloc(bytes.length)]) {
      writeFileSync(path, content);
      assert.deepEqual(load({ canStore: false }), [folder, 'program.cjs', 'one']);
      assert.deepEqual(load(), [folder, 'program.cjs', 'one']);
      assert.notDeepEqual(readFileSync(path), content);
    }
  });

  it('runs another program of the same length, whose functions V8 would take from the stored code', () => {
    load();
    writeFileSync(file, PROGRAM.replace("'one'", "'two'"));
    assert.deepEqual(load(), [folder, 'program.cjs', 'two']);
    assert.deepEqual(load(), [folder, 'program.cjs', 'two']);
  });

  it('names the lines and columns of the file in stack traces', () => {
    const call =
      "fail.toString().length && (() => { try { program.fail() } catch (e) { return e.stack.split('\\n')[1] } })()";
    const column = 'exports.fail=()=>{'.length;
    assert.match(String(load({ call })), new RegExp(`program\\.cjs:2:${column + 'throw '.length + 1}\\)?$`));
    writeFileSync(file, `exports.fail=()=>{throw new Error('failed')}`);
    assert.match(String(load({ call })), new RegExp(`program\\.cjs:1:${column + 'throw '.length + 1}\\)?$`));
  });

  it('loads the program without a compile cache', () => {
    assert.deepEqual(load({ env: { NODE_DISABLE_COMPILE_CACHE: '1' } }), [folder, 'program.cjs', 'one']);
  });
});
