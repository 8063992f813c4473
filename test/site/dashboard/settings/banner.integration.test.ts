import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readImageHeader } from '../../../../src/domain/image-header.ts';
import { MAX_UPLOAD_BYTES } from '../../../../src/site/banner/banner-encoder.ts';
import { DASHBOARD_LIMITS } from '../../../../src/site/dashboard/access.ts';
import { onSqlite } from '../../../support/api.ts';
import { JPEG, png } from '../../../support/pictures.ts';
import { type Dashboard, openDashboard } from '../open-dashboard.ts';

const PAGE = '/settings/banner';
/** What a browser sends with a form of its own page. */
const BROWSER = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' };

const imageOf = (text: string) => /<img src="(\/guild\/\d+\/banner\/[0-9a-f]{16})"[^>]*>/.exec(text);

/** The banner on the public page. */
async function shownBanner({ alex, guildId }: Dashboard): Promise<string | undefined> {
  return imageOf((await alex.get(`/guild/${guildId}`)).text)?.[1];
}

onSqlite('the banner of a community', (open) => {
  test('is uploaded, encoded again, shown, described and removed', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, app, path, guildId, activities } = dashboard;
    assert.match((await alex.get(path('/settings'))).text, /href="[^"]*\/settings\/banner">Banner</);
    const page = await alex.get(path(PAGE));
    assert.match(page.text, /<form [^>]*method="post" [^>]*enctype="multipart\/form-data">/);
    const fields = { alt: 'A castle & <b>a moat</b>' };
    const answer = await alex.upload(page, path(PAGE), fields, { banner: JPEG });
    assert.deepEqual([answer.status, answer.location], [303, path(`${PAGE}?done=banner-saved`)]);
    assert.match((await alex.get(answer.location ?? '')).text, /Banner saved/);

    const profile = await alex.get(`/guild/${guildId}`);
    const [image, url = ''] = imageOf(profile.text) ?? [];
    assert.match(image ?? '', / alt="A castle &#38; &#60;b&#62;a moat/);
    const file = await app.inject(url);
    assert.equal(file.statusCode, 200);
    assert.deepEqual(readImageHeader(file.rawPayload), { type: 'jpeg', width: 1200, height: 300 });
    assert.equal(file.headers['content-type'], 'image/jpeg');
    assert.equal(file.headers['x-content-type-options'], 'nosniff');
    assert.match(String(file.headers['content-security-policy']), /default-src 'none'.*sandbox/);
    assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable');
    const etag = String(file.headers.etag);
    const again = await app.inject({ url, headers: { 'if-none-match': etag } });
    assert.equal(again.statusCode, 304);

    // Without a new file only the description changes.
    await alex.upload(page, path(PAGE), { alt: '' }, { banner: Buffer.alloc(0) });
    assert.match(
      imageOf((await alex.get(`/guild/${guildId}`)).text)?.[0] ?? '',
      new RegExp(`${url}" alt=""`),
    );
    await alex.upload(page, path(PAGE), { alt: '' }, { banner: png(40, 10) });
    const replaced = await shownBanner(dashboard);
    assert.notEqual(replaced, url);
    // A page that was opened before gets the new picture, for a short time.
    assert.equal((await app.inject(url)).headers['cache-control'], 'public, max-age=300');

    const removed = await alex.submit(await alex.get(path(PAGE)), path(`${PAGE}/remove`));
    assert.equal(removed.location, path(`${PAGE}?done=banner-removed`));
    assert.equal(await shownBanner(dashboard), undefined);
    assert.equal((await app.inject(replaced ?? '')).statusCode, 404);
    const log = (await activities()).map(([, action]) => action);
    assert.deepEqual(new Set(log), new Set(['banner_removed', 'banner_changed']));
    assert.match((await alex.get(path('/activity'))).text, /Changed the banner/);
  });

  test('stays when an upload is refused, and the page says why', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, path, activities } = dashboard;
    const page = await alex.get(path(PAGE));
    await alex.upload(page, path(PAGE), { alt: '' }, { banner: JPEG });
    const banner = await shownBanner(dashboard);
    const uploads: [string, Buffer, number, RegExp][] = [
      [
        'an SVG image',
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
        400,
        /not a PNG, JPEG or WebP/,
      ],
      ['half a JPEG', JPEG.subarray(0, 650), 400, /could not be read/],
      ['a huge PNG', png(30_000, 30_000, { rows: 1 }), 400, /at most 4096 pixels/],
      ['a file over the limit', Buffer.alloc(MAX_UPLOAD_BYTES + 1), 413, /at most 5 MB/],
      ['a body over the limit', Buffer.alloc(100 * 1024 * 1024), 413, /at most 5 MB/],
    ];
    for (const [name, upload, status, message] of uploads) {
      const refused = await alex.upload(page, path(PAGE), { alt: 'Kept' }, { banner: upload });
      assert.equal(refused.status, status, name);
      assert.match(refused.text, /role="alert">The banner was not saved/, name);
      assert.match(refused.text, message, name);
      const inBrowser = await alex.upload(page, path(PAGE), { alt: 'Kept' }, { banner: upload }, BROWSER);
      assert.deepEqual([inBrowser.status, inBrowser.location], [303, path(PAGE)], name);
      assert.match((await alex.get(path(PAGE))).text, message, name);
    }
    const long = await alex.upload(page, path(PAGE), { alt: 'x'.repeat(201) }, { banner: JPEG });
    assert.match(long.text, /id="alt" name="alt" value="x{201}"[^>]* aria-invalid="true"/);
    assert.equal(await shownBanner(dashboard), banner);
    assert.equal((await activities()).length, 1);
  });

  test('needs the token of the page, and an admin', async (t) => {
    const { alex, sam, charlie, path, store, guildId } = await openDashboard(t, await open());
    const page = await alex.get(path(PAGE));
    const forged = { ...page, text: page.text.replace(/(name="_csrf" value=")[^"]+/, '$1forged') };
    assert.equal((await alex.upload(forged, path(PAGE), { alt: '' }, { banner: JPEG })).status, 403);
    for (const other of [sam, charlie])
      assert.equal((await other.upload(page, path(PAGE), { alt: '' }, { banner: JPEG })).status, 403);
    assert.equal(await store.banners.find(guildId), undefined);
  });

  test('rejects a body that is no form', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    for (const body of ['x', '--b\r\n', '--b\r\nContent-Disposition: form-data\r\n\r\n--b--'])
      assert.equal((await alex.send(path(PAGE), 'multipart/form-data; boundary=b', body)).status, 400, body);
    assert.equal((await alex.send(path(PAGE), 'multipart/form-data', 'x')).status, 400);
    // They count towards the limit of changes, because parsing a body takes time.
    const limit = DASHBOARD_LIMITS.TOO_MANY_CHANGES.requests;
    for (let count = 4; count < limit; count += 1) await alex.send(path(PAGE), 'multipart/form-data', 'x');
    assert.equal((await alex.send(path(PAGE), 'multipart/form-data', 'x')).status, 429);
  });

  test('is not shown while the community is sanctioned', async (t) => {
    const dashboard = await openDashboard(t, await open());
    const { alex, app, path, store, guildId, clock } = dashboard;
    const page = await alex.get(path(PAGE));
    await alex.upload(page, path(PAGE), { alt: '' }, { banner: JPEG });
    const url = (await shownBanner(dashboard)) ?? '';
    await store.guilds.setSanction(guildId, { since: clock(), reason: null });
    assert.equal((await app.inject(url)).statusCode, 404);
    assert.equal((await alex.upload(page, path(PAGE), { alt: '' }, { banner: JPEG })).status, 403);
    assert.equal((await alex.submit(page, path(`${PAGE}/remove`))).status, 403);
    await store.guilds.setSanction(guildId, null);
    assert.equal((await app.inject(url)).statusCode, 200);
  });

  test('is available in French', async (t) => {
    const { alex, path } = await openDashboard(t, await open());
    const { text } = await alex.get(path(PAGE), { 'accept-language': 'fr' });
    assert.match(text, /Enregistrer la bannière/);
  });
});
