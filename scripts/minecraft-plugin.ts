/**
 * Compiles the Minecraft plugin with `javac`, against stubs of the Bukkit API, and packs it as a jar. Needs a JDK, 17 or newer.
 *
 *   node scripts/minecraft-plugin.ts [<file>]      votary-minecraft.jar by default
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ZipEntry, zip } from './zip.ts';

export const JAR = 'votary-minecraft.jar';

const FOLDER = 'clients/minecraft';
const RELEASE = '17';
const MANIFEST = 'Manifest-Version: 1.0\r\nCreated-By: Votary\r\n\r\n';

/** Whether this machine can build the plugin. */
export function hasJavac(): boolean {
  const { stdout } = spawnSync('javac', ['-version'], { encoding: 'utf8' });
  return Number(/^javac (\d+)/.exec(stdout ?? '')?.[1]) >= Number(RELEASE);
}

/** The stubs as source files, each at its path under the folder. */
export function writeStubs(root: string, folder: string): void {
  const text = readFileSync(join(root, FOLDER, 'bukkit.txt'), 'utf8');
  for (const [, path = '', source = ''] of text.matchAll(
    /^\/\/ (\S+\.java)\n([\s\S]*?)(?=^\/\/ \S+\.java$|$(?![\s\S]))/gm,
  )) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), source);
  }
}

export function buildJar(root: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'votary-jar-'));
  try {
    const [stubs, classes] = [join(folder, 'stubs'), join(folder, 'classes')];
    writeStubs(root, stubs);
    const sources = globSync('src/**/*.java', { cwd: join(root, FOLDER) }).toSorted();
    const options = [
      '--release',
      RELEASE,
      '-encoding',
      'UTF-8',
      '-g:source,lines',
      '-implicit:none',
      '-Xlint:all,-serial',
    ];
    const args = ['-J-XX:TieredStopAtLevel=1', ...options, '-sourcepath', stubs, '-d', classes, ...sources];
    execFileSync('javac', args, { cwd: join(root, FOLDER), stdio: ['ignore', 'inherit', 'inherit'] });
    const entries: ZipEntry[] = [
      { name: 'META-INF/MANIFEST.MF', body: Buffer.from(MANIFEST) },
      ...read(join(root, FOLDER, 'resources')),
      { name: 'LICENSE', body: readFileSync(join(root, 'LICENSE')) },
      ...read(classes),
    ];
    return zip(entries);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function read(folder: string): ZipEntry[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => ({ name: name.replaceAll('\\', '/'), body: readFileSync(join(folder, name)) }));
}

if (import.meta.main) {
  const [target = JAR] = process.argv.slice(2);
  writeFileSync(target, buildJar(join(import.meta.dirname, '..')));
}
