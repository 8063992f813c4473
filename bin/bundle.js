/**
 * Loads the program of the package, with the code that V8 compiled for an earlier start. The compile cache of Node is made
 * before a file runs, and has none of the functions that V8 compiles when they are first called: 1,400 during a start.
 */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, getCompileCacheDir } from 'node:module';
import { basename, dirname, join } from 'node:path';
import vm from 'node:vm';
import { crc32 } from 'node:zlib';

const BEGIN = '(function (exports, require, module, __filename, __dirname) {';
const END = '\n})';
const CHECKSUM_BYTES = 4;

/**
 * `storeCode` keeps what V8 compiled until it is called. Only the service has reason to: its code is the most, and
 * commands run with the same. `canStore: false` leaves the file alone, and takes Node's compile cache if there is none.
 */
export function loadBundle(file, { canStore }) {
  const require = createRequire(file);
  const folder = getCompileCacheDir();
  if (folder === undefined) return { program: require(file), storeCode() {} };
  const text = readFileSync(file, 'latin1');
  // V8 only compares the length of the text.
  const codeFile = join(folder, `${basename(file)}-${crc32(text).toString(16)}.code`);
  const code = readCode(codeFile);
  if (code === undefined && !canStore) return { program: require(file), storeCode() {} };
  const script = new vm.Script(BEGIN + text + END, {
    filename: file,
    columnOffset: -BEGIN.length,
    cachedData: code,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  const isStored = code !== undefined && !script.cachedDataRejected;
  const storeCode = () => {
    if (canStore && !isStored) writeCode(codeFile, script.createCachedData());
  };
  return { program: module.exports, storeCode };
}

function readCode(file) {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(CHECKSUM_BYTES);
    return bytes.readUInt32LE() === crc32(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Under another name first: several processes may start at the same time. */
function writeCode(file, code) {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(code));
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, Buffer.concat([checksum, code]));
    renameSync(draft, file);
  } catch {
    // Starts are slower without it.
  }
}
