/** The banner of a community: a picture that its admins upload for its public page. */
import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guild, GuildProfile } from '../../../domain/guild.ts';
import { firstText, isRecord } from '../../../domain/record.ts';
import { isVisible, readPlainText } from '../../../domain/text/text.ts';
import type { Banner } from '../../../store/guilds/banners.ts';
import { BannerError, createBannerEncoder, MAX_UPLOAD_BYTES } from '../../banner/banner-encoder.ts';
import { isSmallForm } from '../../banner/form-shape.ts';
import { readUpload } from '../../banner/upload-body.ts';
import { PAGE_STATUS, PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { redirectWithFlash } from '../../flash.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { isVisit } from '../../paths.ts';
import { profileHead } from '../../profile/view.ts';
import { adminOf, authorizeBeforeBody, countAction, type DashboardDeps } from '../access.ts';
import { sendTab, tabAddress } from '../frame.ts';
import { type BannerFormFault, bannerMessages, MAX_ALT_LENGTH } from './banner-messages.ts';

type RefusedBanner = { fault: BannerFormFault; alt: string };

declare module '../../flash.ts' {
  interface Flash {
    banner?: RefusedBanner;
  }
}

const STATUS: Partial<Record<BannerFormFault, number>> = {
  'too-large': PAGE_STATUS.FORM_TOO_LARGE,
  busy: PAGE_STATUS.UNAVAILABLE,
};

export function bannerAddress(guildId: string): string {
  return `${tabAddress(guildId, 'settings')}/banner`;
}

export async function bannerRoutes(app: FastifyInstance, deps: DashboardDeps): Promise<void> {
  const { store, clock } = deps;
  const encoder = createBannerEncoder();
  authorizeBeforeBody(app, deps);
  // Before the body too, so that it limits how often a body is read and parsed.
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (!isVisit(request)) await countAction(deps, adminOf(request).guild.guildId, 'TOO_MANY_CHANGES');
    return payload;
  });
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: Readable) =>
    parseMultipart(request, await readUpload(payload)),
  );

  async function sendForm(request: FastifyRequest, reply: FastifyReply, refused?: RefusedBanner) {
    const { guild } = adminOf(request);
    const [profile, banner] = await Promise.all([
      store.profiles.find(guild.guildId),
      store.banners.find(guild.guildId),
    ]);
    return sendTab(request, reply, deps, {
      guild,
      tab: 'settings',
      view: (context) => bannerForm(context, { guild, profile, banner, refused }),
      styles: ['profile.css'],
      scripts: ['dashboard/banner.js'],
    });
  }

  async function refuse(request: FastifyRequest, reply: FastifyReply, refused: RefusedBanner) {
    const address = bannerAddress(adminOf(request).guild.guildId);
    const redirected = redirectWithFlash(request, reply, address, { banner: refused });
    return (
      redirected ?? sendForm(request, reply.code(STATUS[refused.fault] ?? PAGE_STATUS.BAD_FORM), refused)
    );
  }

  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof PageError) || error.fault !== 'FORM_TOO_LARGE') throw error;
    return refuse(request, reply, { fault: 'too-large', alt: '' });
  });

  app.get('/settings/banner', { config: { changes: true } }, (request, reply) =>
    sendForm(request, reply, request.flash?.banner),
  );

  app.post('/settings/banner', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const given = firstText(request.body, 'alt');
    if (given === undefined) throw new PageError('BAD_FORM');
    const alt = isVisible(given) ? readPlainText(given, MAX_ALT_LENGTH) : '';
    if (alt === undefined) return refuse(request, reply, { fault: 'bad-alt', alt: given });
    const [current, upload] = [await store.banners.find(guildId), uploadOf(request.body)];
    const change = { guildId, at: clock(), actor: person, action: 'banner_changed' } as const;
    if (upload.length > 0 || !current) {
      const encoded = await encoder.encode(upload).catch((error: unknown) => {
        if (!(error instanceof BannerError)) throw error;
        request.log.info({ guildId, fault: error.fault, err: error.cause }, 'a banner was refused');
        return error.fault;
      });
      if (typeof encoded === 'string') return refuse(request, reply, { fault: encoded, alt });
      const version = hash('sha256', encoded, 'hex').slice(0, 16);
      await store.activities.record(change);
      await store.banners.set(guildId, { version, alt, bytes: encoded });
    } else if (alt !== current.alt) {
      await store.activities.record(change);
      await store.banners.setAlt(guildId, alt);
    }
    return reply.redirect(`${bannerAddress(guildId)}?done=banner-saved`, SEE_OTHER_STATUS);
  });

  app.post('/settings/banner/remove', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    if (await store.banners.find(guildId)) {
      await store.activities.record({ guildId, at: clock(), actor: person, action: 'banner_removed' });
      await store.banners.remove(guildId);
    }
    return reply.redirect(`${bannerAddress(guildId)}?done=banner-removed`, SEE_OTHER_STATUS);
  });
}

/** Texts by their names, and the bytes of files. By the parser of Node, which has the whole body in memory. */
async function parseMultipart({ headers }: FastifyRequest, body: Buffer): Promise<object> {
  const type = headers['content-type'] ?? '';
  if (!isSmallForm(body, type)) throw new PageError('BAD_FORM');
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch((cause) => {
      throw new PageError('BAD_FORM', { cause });
    });
  const fields: Record<string, string | Buffer> = Object.create(null);
  for (const [name, value] of form)
    fields[name] ??= typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer());
  return fields;
}

/** Empty if no file was chosen. */
function uploadOf(body: unknown): Buffer {
  return isRecord(body) && Buffer.isBuffer(body.banner) ? body.banner : Buffer.alloc(0);
}

type BannerForm = {
  guild: Guild;
  profile: GuildProfile;
  banner: Banner | undefined;
  refused: RefusedBanner | undefined;
};

function bannerForm(context: PageContext, form: BannerForm): Html {
  const { locale, csrfToken } = context;
  const text = bannerMessages[locale];
  const { guild, banner, refused } = form;
  const address = bannerAddress(guild.guildId);
  const isAltWrong = refused?.fault === 'bad-alt';
  const fault = refused && !isAltWrong ? text.faults[refused.fault] : undefined;
  const alt = refused?.alt ?? banner?.alt ?? '';
  return html`<section class="card" aria-labelledby="banner"><div class="stack"><h2 id="banner">${text.title}</h2><p class="muted measure">${text.lead}</p></div>
${refused && html`<p class="notice bad" role="alert">${text.wrong}</p>`}
<form class="stack profile-form" method="post" action="${address}" enctype="multipart/form-data">${csrfField(csrfToken)}
<div class="field"><label for="banner-file">${text.file}</label>
<input type="file" id="banner-file" name="banner" accept="image/png,image/jpeg,image/webp" aria-describedby="banner-file-hint banner-file-error"${!banner && html` required`}${fault && html` aria-invalid="true" autofocus`} data-max-bytes="${MAX_UPLOAD_BYTES}" data-too-large="${text.faults['too-large']}">
<p class="field-error" id="banner-file-error"${!fault && html` hidden`}>${fault}</p>
<p class="muted small-text" id="banner-file-hint">${text.fileHint}</p></div>
<div class="field"><label for="alt">${text.alt}</label>
<input type="text" id="alt" name="alt" value="${alt}" maxlength="${MAX_ALT_LENGTH}" aria-describedby="alt-hint${isAltWrong && ' alt-error'}"${isAltWrong && html` aria-invalid="true" autofocus`}>
${isAltWrong && html`<p class="field-error" id="alt-error">${text.faults['bad-alt']}</p>`}
<p class="muted small-text" id="alt-hint">${text.altHint}</p></div>
<div class="row"><button>${text.save}</button><a class="quiet" href="${tabAddress(guild.guildId, 'settings')}">${text.back}</a></div>
</form>
${banner && html`<form method="post" action="${address}/remove">${csrfField(csrfToken)}<button class="secondary danger">${text.remove}</button></form>`}</section>
<section class="stack" aria-labelledby="preview-title" data-banner-preview><h2 id="preview-title">${text.preview}</h2>
<p class="muted" data-unsaved="${text.unsaved}" role="status">${banner ? text.current : text.none}</p>
${profileHead(locale, form, 'p')}</section>`;
}
