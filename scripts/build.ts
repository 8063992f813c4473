/**
 * Bundles src/ into dist/, or the given folder, for the published package: npm run build. The program is one file, and the
 * threads that draw cards and encode banners one each; all have source maps. Of the packages that they import, only the
 * Markdown parser is part of them. Files that are not TypeScript keep their path. The script of the API reference and the
 * client libraries that a site offers for download are added (docs/decisions/0041-a-bundle.md).
 *
 *   node scripts/build.ts [<output folder> [<packed SDK> <node_modules>]]
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { BUILT_SCRIPT, extractScript, SCALAR_PACKAGE } from '../src/site/docs/scalar.ts';
import { buildJar, hasJavac, JAR } from './minecraft-plugin.ts';
import { buildWheel } from './python-wheel.ts';
import { packSdk, SDK } from './sdk-package.ts';

const BUNDLES = {
  votary: 'src/cli/main.ts',
  'site/sharing/card-worker': 'src/site/sharing/card-worker.ts',
  'site/banner/banner-worker': 'src/site/banner/banner-worker.ts',
};

/** `modules` is where esbuild is installed. */
export async function build(
  root: string,
  output: string,
  modules = join(root, 'node_modules'),
): Promise<void> {
  rmSync(output, { recursive: true, force: true });
  copyFiles(join(root, 'src'), output);
  const esbuild: typeof import('esbuild') = createRequire(join(modules, 'esbuild/package.json'))('.');
  const options: BuildOptions = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node24',
    // Importing node:http into an ES module loads the WebSocket of Node with it, which takes 11 MB.
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    packages: 'external',
    // `import()` of a package is a `require`, which also works in the script of bin/bundle.js.
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  };
  for (const [name, source] of Object.entries(BUNDLES)) {
    const outfile = join(output, `${name}.cjs`);
    const plugins = [keepLocations(join(root, 'src'), dirname(name)), includeMarked(modules)];
    await esbuild.build({ ...options, entryPoints: [source], outfile, plugins });
    nameSources(`${outfile}.map`, root);
  }
  copyFileSync(join(modules, 'marked/LICENSE'), join(output, 'marked.LICENSE'));
}

/**
 * The Markdown parser is only needed by the documentation, so it is not loaded at the start; later, an upgrade may have
 * replaced its files. It reads nothing but texts of this program.
 */
function includeMarked(modules: string): Plugin {
  const path = join(modules, 'marked/lib/marked.esm.js');
  return {
    name: 'include-marked',
    setup: (build) => build.onResolve({ filter: /^marked$/ }, () => ({ path })),
  };
}

/** Stack traces show `src/cli/main.ts`, wherever the bundle was built. */
function nameSources(file: string, root: string): void {
  const map: { sources: string[] } = JSON.parse(readFileSync(file, 'utf8'));
  const sources = map.sources.map((source) =>
    relative(root, resolve(dirname(file), source))
      .split(sep)
      .join('/'),
  );
  writeFileSync(file, JSON.stringify({ ...map, sources }));
}

/** Not by `cpSync`, which would create read-only folders from those of a read-only source. */
function copyFiles(from: string, to: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.ts')) continue;
    const target = join(to, relative(from, entry.parentPath));
    mkdirSync(target, { recursive: true });
    copyFileSync(join(entry.parentPath, entry.name), join(target, entry.name));
  }
}

/**
 * A source finds the files next to it by `import.meta.url`. In the bundle, that stays the path that its source would have
 * in `dist`, where these files are.
 */
function keepLocations(sources: string, bundleFolder: string): Plugin {
  return {
    name: 'keep-locations',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = toAscii(readFileSync(path, 'utf8'));
        const location = relative(join(sources, bundleFolder), path).split(sep).join('/');
        const url = `require('node:url').pathToFileURL(__dirname + ${JSON.stringify(`/${location}`)}).href`;
        return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' };
      });
    },
  };
}

/**
 * Other characters as escapes, which mean the same in texts and regular expressions. V8 keeps the text of a bundle, with two
 * bytes per character as soon as one of them is not Latin-1. esbuild alone does not escape those in tagged templates.
 */
function toAscii(source: string): string {
  return source.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The file that src/site/docs/scalar.ts reads, with its license. */
export function addReference(modules: string, output: string): void {
  const from = join(modules, SCALAR_PACKAGE);
  const to = join(output, BUILT_SCRIPT);
  writeFileSync(to, extractScript(readFileSync(join(from, 'dist/index.js'), 'utf8')));
  copyFileSync(join(from, 'LICENSE'), `${to}.LICENSE`);
}

/** The files that src/site/docs/downloads.ts reads. */
export async function addClients(root: string, output: string, packedSdk?: string): Promise<void> {
  const folder = join(output, 'clients');
  mkdirSync(folder);
  copyFileSync(join(root, 'clients/python/votary.py'), join(folder, 'votary.py'));
  copyFileSync(join(root, 'clients/php/Votary.php'), join(folder, 'Votary.php'));
  const wheel = buildWheel(root);
  writeFileSync(join(folder, wheel.name), wheel.body);
  if (hasJavac()) writeFileSync(join(folder, JAR), buildJar(root));
  else process.stderr.write(`The Minecraft plugin is left out, because there is no JDK 17 or newer.\n`);
  if (packedSdk) copyFileSync(packedSdk, join(folder, SDK));
  else writeFileSync(join(folder, SDK), await packSdk(root));
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const [output = join(root, 'dist'), packedSdk, modules = join(root, 'node_modules')] =
    process.argv.slice(2);
  await build(root, output, modules);
  addReference(modules, output);
  await addClients(root, output, packedSdk);
}
