/** The public profile of a community, and whether it is in the listing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type Guild,
  type GuildProfile,
  inputOf,
  LANGUAGES,
  listingState,
  MAX_ABOUT_LENGTH,
  MAX_DESCRIPTION_LENGTH,
  type ProfileFaults,
  type ProfileInput,
  readProfile,
} from '../../../domain/guild.ts';
import type { Locale } from '../../../domain/locale.ts';
import { firstText } from '../../../domain/record.ts';
import type { ActivityDetail } from '../../../store/activities.ts';
import type { Banner } from '../../../store/guilds/banners.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { redirectWithFlash } from '../../flash.ts';
import { languageName } from '../../layout/format.ts';
import { type Content, type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { profilePath } from '../../paths.ts';
import { aboutSection, profileHead } from '../../profile/view.ts';
import { adminOf, countAction, type DashboardDeps } from '../access.ts';
import { sendTab, tabAddress } from '../frame.ts';
import { bannerAddress } from './banner.ts';
import { bannerMessages } from './banner-messages.ts';
import { profileFormMessages } from './profile-messages.ts';

const FIELDS = [
  'description',
  'about',
  'tags',
  'language',
  'invite',
  'links',
] as const satisfies (keyof ProfileInput)[];

declare module '../../flash.ts' {
  interface Flash {
    profile?: ProfileInput;
  }
}

/** Without a flash, input is returned in the URL. Browsers and proxies limit its length, so a longer text is not. */
const MAX_RETURNED_LENGTH = 1000;

export function profileSettingsRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock } = deps;

  async function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    given: ProfileInput | undefined,
  ): Promise<FastifyReply> {
    const { guild } = adminOf(request);
    const [saved, banner] = await Promise.all([
      store.profiles.find(guild.guildId),
      store.banners.find(guild.guildId),
    ]);
    const input = given ?? inputOf(saved);
    const read = readProfile(input);
    const isSaved = !hasFaults(read.faults) && !findChanges(saved, read.profile);
    const form: ProfileForm = { guild, banner, input, ...read, isSaved };
    return sendTab(request, reply, deps, {
      guild,
      tab: 'settings',
      view: (context) => profileForm(context, form),
      styles: ['profile.css'],
    });
  }

  app.get('/settings/profile', { config: { changes: true } }, (request, reply) =>
    sendForm(request, reply, request.flash?.profile ?? readInput(request.query)),
  );

  app.post('/settings/profile', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const input = readInput(request.body);
    if (!input) throw new PageError('BAD_FORM');
    const showAgain = async () =>
      redirectWithFlash(request, reply, profileAddress(guildId), { profile: input }) ??
      (FIELDS.some((name) => input[name].length > MAX_RETURNED_LENGTH)
        ? sendForm(request, reply, input)
        : reply.redirect(addressWith(guildId, input), SEE_OTHER_STATUS));
    if (firstText(request.body, 'preview') !== undefined) return showAgain();
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const { profile, faults } = readProfile(input);
    if (hasFaults(faults)) return showAgain();
    const changes = findChanges(await store.profiles.find(guildId), profile);
    if (changes) {
      const detail = { profile: changes };
      await store.activities.record({
        guildId,
        at: clock(),
        actor: person,
        action: 'profile_changed',
        detail,
      });
      await store.profiles.set(guildId, profile);
    }
    return reply.redirect(`${profileAddress(guildId)}?done=profile-saved`, SEE_OTHER_STATUS);
  });

  app.post('/settings/listing', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const listed = firstText(request.body, 'listed');
    if (listed !== 'yes' && listed !== 'no') throw new PageError('BAD_FORM');
    const isHidden = listed === 'no';
    if (isHidden !== (guild.hiddenAt !== null)) {
      const at = clock();
      const action = isHidden ? 'guild_hidden' : 'guild_shown';
      await store.activities.record({ guildId, at, actor: person, action });
      await store.guilds.setHidden(guildId, isHidden ? at : null);
    }
    const done = isHidden ? 'listing-hidden' : 'listing-shown';
    return reply.redirect(`${tabAddress(guildId, 'settings')}?done=${done}`, SEE_OTHER_STATUS);
  });
}

function hasFaults(faults: ProfileFaults): boolean {
  return Object.keys(faults).length > 0;
}

/** `undefined` if none of the fields is present. */
function readInput(source: unknown): ProfileInput | undefined {
  if (FIELDS.every((name) => firstText(source, name) === undefined)) return undefined;
  const read = (name: keyof ProfileInput) => firstText(source, name) ?? '';
  return {
    ...{ description: read('description'), about: read('about'), tags: read('tags') },
    ...{ language: read('language'), invite: read('invite'), links: read('links') },
  };
}

function addressWith(guildId: string, input: ProfileInput): string {
  return `${profileAddress(guildId)}?${new URLSearchParams(input)}`;
}

/** `undefined` if both profiles are the same. */
function findChanges(from: GuildProfile, to: GuildProfile): ActivityDetail['profile'] | undefined {
  const [before, after] = [inputOf(from), inputOf(to)];
  const changed = FIELDS.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}

function profileAddress(guildId: string): string {
  return `${tabAddress(guildId, 'settings')}/profile`;
}

/** The cards of the settings tab for the profile and for the listing. */
export function profileCards(context: PageContext, guild: Guild, { description, tags }: GuildProfile): Html {
  const text = profileFormMessages[context.locale];
  const { guildId } = guild;
  return html`<section class="card" aria-labelledby="profile"><div class="stack"><h2 id="profile">${text.title}</h2>
<p class="measure${description === '' && ' muted'}" dir="auto">${description || text.none}</p>
${tags.length > 0 && html`<ul class="tags">${tags.map((tag) => html`<li class="badge"><bdi>${tag}</bdi></li>`)}</ul>`}</div>
${!context.isReadOnly && html`<div class="row"><a class="button" href="${profileAddress(guildId)}">${text.edit}</a><a class="button secondary" href="${bannerAddress(guildId)}">${bannerMessages[context.locale].title}</a><a class="button secondary" href="${profilePath(guildId)}">${text.view}</a></div>`}</section>
${listingCard(context, guild)}`;
}

function listingCard({ locale, csrfToken, isReadOnly }: PageContext, guild: Guild): Html {
  const text = profileFormMessages[locale].listing;
  const isHidden = guild.hiddenAt !== null;
  const form = html`<form method="post" action="${tabAddress(guild.guildId, 'settings')}/listing">${csrfField(csrfToken)}
<button class="secondary" name="listed" value="${isHidden ? 'yes' : 'no'}">${isHidden ? text.show : text.hide}</button></form>`;
  return html`<section class="card" aria-labelledby="listing"><h2 id="listing">${text.title}</h2>
<p class="measure">${text[listingState(guild)]}</p>
${!isReadOnly && (guild.unlistedAt === null || isHidden) && form}</section>`;
}

type ProfileForm = {
  guild: Guild;
  banner: Banner | undefined;
  input: ProfileInput;
  /** What the preview shows. */
  profile: GuildProfile;
  faults: ProfileFaults;
  /** Whether the fields are unchanged since they were saved. */
  isSaved: boolean;
};

/** The first button saves, because it is the one that Enter uses. */
function profileForm(context: PageContext, form: ProfileForm): Html {
  const { locale, csrfToken } = context;
  const text = profileFormMessages[locale];
  const { guild, input, profile, isSaved } = form;
  const isWrong = Object.keys(form.faults).length > 0;
  const fields = html`<section class="card" aria-labelledby="profile"><div class="stack"><h2 id="profile">${text.title}</h2><p class="muted measure">${text.lead} ${text.icon}</p></div>
${isWrong && html`<p class="notice bad" role="alert">${text.wrong}</p>`}
<form class="stack profile-form" method="post" action="${profileAddress(guild.guildId)}">${csrfField(csrfToken)}
${field(locale, form, 'description', (given) => html`<textarea id="description" name="description" rows="4" maxlength="${MAX_DESCRIPTION_LENGTH}"${given}>${input.description}</textarea>`)}
${field(locale, form, 'about', (given) => html`<textarea id="about" name="about" rows="8" maxlength="${MAX_ABOUT_LENGTH}"${given}>\n${input.about}</textarea>`)}
${field(locale, form, 'tags', (given) => html`<input type="text" id="tags" name="tags" value="${input.tags}" autocomplete="off" autocapitalize="none"${given}>`)}
${field(locale, form, 'language', (given) => html`<select id="language" name="language"${given}><option value="">${text.noLanguage}</option>${languageOptions(locale, input.language)}</select>`)}
${field(locale, form, 'invite', (given) => html`<input type="url" id="invite" name="invite" value="${input.invite}" placeholder="https://discord.gg/" autocomplete="off" spellcheck="false"${given}>`)}
${field(locale, form, 'links', (given) => html`<textarea id="links" name="links" rows="3" placeholder="https://" spellcheck="false"${given}>\n${input.links}</textarea>`)}
<div class="row"><button>${text.save}</button><button class="secondary" name="preview" value="yes">${text.showPreview}</button><a class="quiet" href="${tabAddress(guild.guildId, 'settings')}">${text.back}</a></div>
</form></section>`;
  const preview = html`<section class="stack" aria-labelledby="preview-title"><div class="row between"><h2 id="preview-title">${text.preview}</h2><a href="${profilePath(guild.guildId)}">${text.view}</a></div>
${isSaved ? html`<p class="muted">${text.previewHint}</p>` : html`<p class="notice warn" role="status">${text.unsaved}</p>`}
${profileHead(locale, form, 'p')}${aboutSection(locale, profile)}</section>`;
  // A requested preview comes first, so that it is visible without scrolling.
  return isSaved || isWrong ? html`${fields}${preview}` : html`${preview}${fields}`;
}

/** The browser focuses the first invalid field. */
function field(
  locale: Locale,
  { faults }: ProfileForm,
  name: keyof ProfileInput,
  control: (given: Html) => Html,
): Html {
  const text = profileFormMessages[locale];
  const fault = faults[name];
  const isFirst = Object.keys(faults)[0] === name;
  const given = html` aria-describedby="${name}-hint${fault && ` ${name}-error`}"${fault && html` aria-invalid="true"`}${isFirst && html` autofocus`}`;
  return html`<div class="field"><label for="${name}">${text.fields[name].name}</label>
${control(given)}
${fault && html`<p class="field-error" id="${name}-error">${text.faults[fault]}</p>`}
<p class="muted small-text" id="${name}-hint">${text.fields[name].hint}</p></div>`;
}

function languageOptions(locale: Locale, chosen: string): Content {
  return LANGUAGES.map((language) => ({ language, name: languageName(language, locale) }))
    .sort((a, b) => a.name.localeCompare(b.name, locale))
    .map(
      ({ language, name }) =>
        html`<option value="${language}"${language === chosen && html` selected`}>${name}</option>`,
    );
}

/** What an entry of the activity log says about a changed profile. */
export function profileChanges(locale: Locale, changes: NonNullable<ActivityDetail['profile']>): Content {
  const text = profileFormMessages[locale];
  const shown = (value: string) => (value === '' ? html`<i>${text.empty}</i>` : html`<bdi>${value}</bdi>`);
  return Object.entries(text.fields).map(([name, { name: label }]) => {
    const change = Object.entries(changes).find(([changed]) => changed === name)?.[1];
    if (!change) return null;
    return html`<br><span class="muted">${label} – ${shown(change.from)} → ${shown(change.to)}</span>`;
  });
}
