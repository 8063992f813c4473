#!/bin/sh
# Builds the contents of the image: build-image.sh <source folder> <new folder>
# The source folder is not changed. Needs Node 24 and npm; install scripts are not run.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 <source folder> <new folder>" >&2; exit 2; }
source=$(cd "$1" && pwd)
mkdir -p "$2"
target=$(cd "$2" && pwd)

cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
export npm_config_cache=$cache/npm npm_config_audit=false npm_config_fund=false npm_config_loglevel=error

# The site offers the SDK for download, and an API reference. Neither TypeScript, which compiles the SDK, nor esbuild, which bundles the
# server with the Markdown parser, nor the package with the script of the reference is part of the image. The lock file tells their versions.
mkdir "$cache/build" "$cache/packed"
cp -R "$source/sdk" "$source/tsconfig.json" "$cache/build/"
chmod -R u+w "$cache/build"
rm -rf "$cache/build/sdk/dist"
locked() {
  node -p 'process.argv[2] + "@" + require(process.argv[1]).packages["node_modules/" + process.argv[2]].version' \
    "$source/package-lock.json" "$1"
}
npm install --prefix "$cache/build" --ignore-scripts "$(locked typescript)" "$(locked esbuild)" "$(locked marked)" \
  "$(locked @scalar/fastify-api-reference)"
(cd "$cache/build/sdk" && npm pack --pack-destination "$cache/packed")

node "$source/scripts/build.ts" "$target/dist" "$cache"/packed/*.tgz \
  "$cache/build/node_modules"
mkdir "$target/bin" "$target/docs"
cp "$source/bin/votary.js" "$source/bin/bundle.js" "$target/bin/"
cp "$source/deploy/healthcheck.js" "$target/bin/"
cp -R "$source/docs/guides" "$target/docs/"
cp "$source/package.json" "$source/package-lock.json" "$source/LICENSE" "$target/"

cd "$target"
npm ci --omit=dev --ignore-scripts
