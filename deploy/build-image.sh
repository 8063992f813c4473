#!/bin/sh
# Builds the contents of the image: build-image.sh <source folder> <new folder>
# The source folder is not changed. Needs Node 24 and npm; install scripts are not run.
set -eu
[ $# -eq 2 ] || { echo "usage: $0 <source folder> <new folder>" >&2; exit 2; }
source=$(cd "$1" && pwd)
mkdir -p "$2"
target=$(cd "$2" && pwd)

node --disable-warning=ExperimentalWarning "$source/scripts/build.ts" "$target/dist"
mkdir "$target/bin" "$target/docs"
cp "$source/bin/votary.js" "$target/bin/"
cp "$source/deploy/healthcheck.js" "$target/bin/"
cp -R "$source/docs/guides" "$target/docs/"
cp "$source/package.json" "$source/package-lock.json" "$source/LICENSE" "$target/"

cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
cd "$target"
npm_config_cache=$cache npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
