/** How votes are claimed: the comparison of names, the consumer of ListForge plugins, and the list of consumers. */
import type { FastifyInstance } from 'fastify';
import type { Guild } from '../../../domain/guild.ts';
import { firstText } from '../../../domain/record.ts';
import { CONSUMER_MAX_LENGTH, CONSUMER_PATTERN, isConsumer } from '../../../domain/votes/consumers.ts';
import { PLAYER_NAME_RULES } from '../../../domain/votes/player-names.ts';
import { type ClaimSettings, removeConsumer } from '../../../store/claims/claim-settings.ts';
import type { Consumer } from '../../../store/claims/consumers.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { momentTag } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { adminOf, countAction, type DashboardDeps } from '../access.ts';
import { tabAddress } from '../frame.ts';
import { claimsMessages } from './claims-messages.ts';

export function consumerRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  app.post('/settings/consumers/remove', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const consumer = firstText(request.body, 'consumer') ?? '';
    if (!isConsumer(consumer)) throw new PageError('BAD_FORM');
    await removeConsumer(deps.store, guildId, consumer, { at: deps.clock(), actor: person });
    const address = `${tabAddress(guildId, 'settings')}?done=consumer-removed#consumers`;
    return reply.redirect(address, SEE_OTHER_STATUS);
  });
}

/** Fields that the form lacks stay unchanged. */
export function readClaimSettings(body: unknown): ClaimSettings {
  const [names, consumer] = [firstText(body, 'player_names'), firstText(body, 'listforge_consumer')];
  const playerNames = PLAYER_NAME_RULES.find((rule) => rule === names);
  if (names !== undefined && !playerNames) throw new PageError('BAD_FORM');
  const listforgeConsumer = consumer?.trim();
  if (listforgeConsumer !== undefined && !isConsumer(listforgeConsumer)) throw new PageError('BAD_FORM');
  return {
    ...(playerNames && { playerNames }),
    ...(listforgeConsumer !== undefined && { listforgeConsumer }),
  };
}

export function claimFields(
  { locale, isReadOnly }: PageContext,
  { playerNames, listforgeConsumer }: Guild,
): Html {
  const text = claimsMessages[locale];
  const disabled = isReadOnly && html` disabled`;
  const choice = (rule: (typeof PLAYER_NAME_RULES)[number]) =>
    html`<label class="choice"><input type="radio" name="player_names" value="${rule}" required${rule === playerNames && html` checked`}><span><span class="choice-name">${text.rules[rule].name}</span><span class="muted small-text">${text.rules[rule].hint}</span></span></label>`;
  return html`<fieldset class="choices" aria-describedby="player-name-hint"${disabled}><legend><h2>${text.playerName}</h2></legend>
<p class="muted measure" id="player-name-hint">${text.playerNameHint}</p>
${PLAYER_NAME_RULES.map(choice)}
<div class="field"><label for="listforge-consumer">${text.listforgeConsumer}</label><input type="text" id="listforge-consumer" name="listforge_consumer" value="${listforgeConsumer}" pattern="${CONSUMER_PATTERN.slice(1, -1)}" maxlength="${CONSUMER_MAX_LENGTH}" required autocomplete="off" spellcheck="false" aria-describedby="listforge-consumer-hint"><p class="muted small-text" id="listforge-consumer-hint">${text.listforgeConsumerHint}</p></div></fieldset>`;
}

export function consumersSection(
  { locale, csrfToken, isReadOnly }: PageContext,
  guildId: string,
  consumers: readonly Consumer[],
): Html {
  const text = claimsMessages[locale];
  const remove = (name: string) =>
    html`<form method="post" action="${tabAddress(guildId, 'settings')}/consumers/remove">${csrfField(csrfToken)}<input type="hidden" name="consumer" value="${name}"><button class="small secondary">${text.remove}<span class="visually-hidden"> ${name}</span></button></form>`;
  const row = ({ name, lastUsedAt }: Consumer) =>
    html`<li class="row between"><span><span class="mono">${name}</span> <span class="muted small-text">${text.lastUsed} ${momentTag(lastUsedAt, locale)}</span></span>${!isReadOnly && remove(name)}</li>`;
  return html`<section class="card" id="consumers" aria-labelledby="consumers-title"><div class="stack"><h2 id="consumers-title">${text.consumers}</h2><p class="muted measure">${text.consumersHint}</p></div>
${consumers.length === 0 ? html`<p class="empty">${text.none}</p>` : html`<ul class="stack">${consumers.map(row)}</ul><p class="muted measure small-text">${text.removeHint}</p>`}</section>`;
}
