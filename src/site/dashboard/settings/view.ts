import type { Instant } from '../../../domain/clock.ts';
import { DOUBLING_RULES, type DoublingRule } from '../../../domain/doubling.ts';
import { type Guild, hasPremium } from '../../../domain/guild.ts';
import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { formatMoment } from '../format.ts';
import { tabAddress } from '../frame.ts';
import { settingsMessages } from './messages.ts';

export function settingsView(context: PageContext, guild: Guild, now: Instant): Html {
  return html`${doublingForm(context, guild)}${premiumView(context.locale, guild, now)}`;
}

function doublingForm(context: PageContext, guild: Guild): Html {
  const { locale, csrfToken, isReadOnly } = context;
  const text = settingsMessages[locale];
  if (isReadOnly) return html`<div class="card">${doublingChoice(context, guild)}</div>`;
  return html`<form class="card" method="post" action="${tabAddress(guild.guildId, 'settings')}">${csrfField(csrfToken)}
${doublingChoice(context, guild)}
<div><button>${text.save}</button></div></form>`;
}

function doublingChoice({ locale, isReadOnly }: PageContext, { doubling }: Guild): Html {
  const text = settingsMessages[locale];
  return html`<fieldset class="choices" aria-describedby="doubling-hint"${isReadOnly && html` disabled`}><legend><h2>${text.doubling}</h2></legend>
<p class="muted measure" id="doubling-hint">${text.doublingHint}</p>
${DOUBLING_RULES.map((rule) => choice(locale, rule, rule === doubling))}</fieldset>`;
}

function choice(locale: Locale, rule: DoublingRule, isChosen: boolean): Html {
  const { name, hint } = settingsMessages[locale].rules[rule];
  return html`<label class="choice"><input type="radio" name="doubling" value="${rule}" required${isChosen && html` checked`}><span><span class="choice-name">${name}</span><span class="muted small-text">${hint}</span></span></label>`;
}

function premiumView(locale: Locale, guild: Guild, now: Instant): Html {
  const text = settingsMessages[locale];
  const isPremium = hasPremium(guild, now);
  const until = guild.premiumUntil === null ? null : formatMoment(guild.premiumUntil, locale);
  return html`<section class="card" aria-labelledby="premium"><div class="row"><h2 id="premium">${text.premium}</h2>
${isPremium ? html`<span class="badge good">${text.active}</span>` : html`<span class="badge">${text.notActive}</span>`}</div>
${until !== null && html`<p>${isPremium ? text.until(until) : text.ended(until)}</p>`}
<p class="muted measure">${text.gives}</p><p class="muted measure">${text.howTo}</p></section>`;
}
