/**
 * Decodes an uploaded picture, cuts it to the shape of a banner, and encodes it again, in a thread of its own. The
 * library is WebAssembly: a file that exploits a decoder reaches nothing outside its memory, and the thread can be stopped
 * at any time.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import util from 'node:util';
import { compileFunction } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import type { BannerFiles } from './banner-files.ts';
import { BANNER_SIZE } from './banner-size.ts';
import { isSideways, type Orientation, turnUpright } from './orientation.ts';

/** The part of the library that is used. Its own types are those of browsers, which the project does not have. */
type Picture = {
  get_width(): number;
  get_height(): number;
  get_raw_pixels(): Uint8Array;
  get_bytes_jpeg(quality: number): Uint8Array;
};
type Photon = {
  PhotonImage: {
    new (pixels: Uint8Array, width: number, height: number): Picture;
    new_from_byteslice(file: Uint8Array): Picture;
  };
  SamplingFilter: { Triangle: number };
  crop(picture: Picture, left: number, top: number, right: number, bottom: number): Picture;
  resize(picture: Picture, width: number, height: number, filter: number): Picture;
};

const QUALITY = 82;
/** Behind transparent parts: JPEG has none. The background of cards. */
const BACKGROUND = [0x22, 0x24, 0x2f] as const;

/** The picture is cut and scaled as it is stored, and then turned, because it is small then. */
function encode(photon: Photon, file: Uint8Array, orientation: Orientation): Uint8Array {
  const { width, height } = isSideways(orientation)
    ? { width: BANNER_SIZE.height, height: BANNER_SIZE.width }
    : BANNER_SIZE;
  const picture = photon.PhotonImage.new_from_byteslice(file);
  const cut = cutToShape(photon, picture, width / height);
  const scaled = photon.resize(cut, width, height, photon.SamplingFilter.Triangle);
  const pixels = scaled.get_raw_pixels();
  if (!fillTransparent(pixels) && orientation === 1) return scaled.get_bytes_jpeg(QUALITY);
  const banner = turnUpright({ pixels, width, height }, orientation);
  return new photon.PhotonImage(banner.pixels, banner.width, banner.height).get_bytes_jpeg(QUALITY);
}

/** The middle of the picture. */
function cutToShape({ crop }: Photon, picture: Picture, ratio: number): Picture {
  const [width, height] = [picture.get_width(), picture.get_height()];
  const cutWidth = Math.max(1, Math.min(width, Math.floor(height * ratio)));
  const cutHeight = Math.max(1, Math.min(height, Math.floor(width / ratio)));
  const left = Math.floor((width - cutWidth) / 2);
  const top = Math.floor((height - cutHeight) / 2);
  return crop(picture, left, top, left + cutWidth, top + cutHeight);
}

/** Changes the pixels, which are RGBA. Returns whether there was anything to fill. */
function fillTransparent(pixels: Uint8Array): boolean {
  let isChanged = false;
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = (pixels[at + 3] ?? 0) / 255;
    if (alpha === 1) continue;
    isChanged = true;
    for (const [channel, behind] of BACKGROUND.entries())
      pixels[at + channel] = Math.round((pixels[at + channel] ?? 0) * alpha + behind * (1 - alpha));
    pixels[at + 3] = 255;
  }
  return isChanged;
}

/** The library is a CommonJS module that reads its WebAssembly from the folder it is in; here both are open files. */
function loadLibrary({ library, wasm }: BannerFiles): Photon {
  const files = { readFileSync: () => readFileSync(wasm) };
  const modules: Record<string, unknown> = { fs: files, path: { join }, util };
  const run = compileFunction(readFileSync(library, 'utf8'), ['module', 'require', '__dirname']);
  const module: { exports: Photon } = Object({ exports: {} });
  run(module, (name: string) => modules[name], '');
  return module.exports;
}

export type BannerJob = { files: BannerFiles; picture: Uint8Array; orientation: Orientation };

const { files, picture, orientation }: BannerJob = workerData;
parentPort?.postMessage(encode(loadLibrary(files), picture, orientation));
