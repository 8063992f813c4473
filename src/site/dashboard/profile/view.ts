import type { Guild } from '../../../domain/guild.ts';
import {
  type GuildProfile,
  LANGUAGES,
  MAX_DESCRIPTION_LENGTH,
  type ProfileFaults,
  type ProfileInput,
} from '../../../domain/guild.ts';
import type { Locale } from '../../../domain/locale.ts';
import type { ActivityDetail } from '../../../store/activities.ts';
import { type Content, type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { profilePath } from '../../paths.ts';
import { languageName } from '../../profile/messages.ts';
import { profileHead } from '../../profile/view.ts';
import { tabAddress } from '../frame.ts';
import { profileFormMessages } from './messages.ts';

export function profileAddress(guildId: string): string {
  return `${tabAddress(guildId, 'settings')}/profile`;
}

/** The part of the settings that leads to the profile, and the place in the listing. */
export function profileCards(context: PageContext, guild: Guild, { description, tags }: GuildProfile): Html {
  const text = profileFormMessages[context.locale];
  const { guildId } = guild;
  return html`<section class="card" aria-labelledby="profile"><div class="stack"><h2 id="profile">${text.title}</h2>
<p class="measure${description === '' && ' muted'}" dir="auto">${description || text.none}</p>
${tags.length > 0 && html`<ul class="tags">${tags.map((tag) => html`<li class="badge"><bdi>${tag}</bdi></li>`)}</ul>`}</div>
${!context.isReadOnly && html`<div class="row"><a class="button" href="${profileAddress(guildId)}">${text.edit}</a><a class="button secondary" href="${profilePath(guildId)}">${text.view}</a></div>`}</section>
${listingCard(context, guild)}`;
}

function listingCard({ locale, csrfToken, isReadOnly }: PageContext, guild: Guild): Html {
  const text = profileFormMessages[locale].listing;
  const isHidden = guild.hiddenAt !== null;
  const state = guild.unlistedAt !== null ? text.unlisted : isHidden ? text.hidden : text.listed;
  const form = html`<form method="post" action="${tabAddress(guild.guildId, 'settings')}/listing">${csrfField(csrfToken)}
<button class="secondary" name="listed" value="${isHidden ? 'yes' : 'no'}">${isHidden ? text.show : text.hide}</button></form>`;
  return html`<section class="card" aria-labelledby="listing"><h2 id="listing">${text.title}</h2>
<p class="measure">${state}</p>
${!isReadOnly && (guild.unlistedAt === null || isHidden) && form}</section>`;
}

export type ProfileForm = {
  guild: Guild;
  input: ProfileInput;
  /** What the preview shows. */
  profile: GuildProfile;
  faults: ProfileFaults;
  /** Whether the fields are as saved. */
  isSaved: boolean;
};

/**
 * Previews are plain visits, with the fields in the URL: going back never asks to send a form again. The button that saves
 * brings the token of the form, so that it is not part of that URL.
 */
export function profileForm(context: PageContext, form: ProfileForm): Html {
  const { locale, csrfToken } = context;
  const text = profileFormMessages[locale];
  const { guild, input, profile, isSaved } = form;
  const isWrong = Object.keys(form.faults).length > 0;
  const fields = html`<section class="card" aria-labelledby="profile"><div class="stack"><h2 id="profile">${text.title}</h2><p class="muted measure">${text.lead} ${text.icon}</p></div>
${isWrong && html`<p class="notice bad" role="alert">${text.wrong}</p>`}
<form class="stack profile-form" action="${profileAddress(guild.guildId)}">
${field(locale, form, 'description', (given) => html`<textarea id="description" name="description" rows="4" maxlength="${MAX_DESCRIPTION_LENGTH}"${given}>${input.description}</textarea>`)}
${field(locale, form, 'tags', (given) => html`<input type="text" id="tags" name="tags" value="${input.tags}" autocomplete="off" autocapitalize="none"${given}>`)}
${field(locale, form, 'language', (given) => html`<select id="language" name="language"${given}><option value="">${text.noLanguage}</option>${languageOptions(locale, input.language)}</select>`)}
${field(locale, form, 'invite', (given) => html`<input type="url" id="invite" name="invite" value="${input.invite}" placeholder="https://discord.gg/" autocomplete="off" spellcheck="false"${given}>`)}
<div class="row"><button formmethod="post" name="_csrf" value="${csrfToken}">${text.save}</button><button class="secondary">${text.showPreview}</button><a class="quiet" href="${tabAddress(guild.guildId, 'settings')}">${text.back}</a></div>
</form></section>`;
  const preview = html`<section class="stack" aria-labelledby="preview-title"><div class="row between"><h2 id="preview-title">${text.preview}</h2><a href="${profilePath(guild.guildId)}">${text.view}</a></div>
${isSaved ? html`<p class="muted">${text.previewHint}</p>` : html`<p class="notice warn" role="status">${text.unsaved}</p>`}
${profileHead(locale, guild, profile, 'p')}</section>`;
  // Whoever asked for a preview sees it first, without scrolling.
  return isSaved || isWrong ? html`${fields}${preview}` : html`${preview}${fields}`;
}

/** The browser focuses the first field that is wrong. */
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
