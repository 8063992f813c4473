import { writeFile } from 'node:fs/promises';
import type { CDPSession, Page } from 'playwright-core';

/** The longest page that is shown whole. */
const MAX_HEIGHT = 6000;

/** As WebP, which the screenshots of the browser driver cannot be, and which takes a fifth of a PNG. */
export async function capture(page: Page, tools: CDPSession, path: string, quality: number): Promise<void> {
  const [width, height] = await page.evaluate<[number, number]>(
    '[document.documentElement.clientWidth, document.documentElement.scrollHeight]',
  );
  const { data } = await tools.send('Page.captureScreenshot', {
    format: 'webp',
    quality,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, MAX_HEIGHT), scale: 1 },
  });
  await writeFile(path, data, 'base64');
}
