/** Tokens of the management API: they are created, shown once and revoked here. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Instant } from '../../domain/clock.ts';
import { type ApiToken, TOKEN_SCOPES, type TokenScope, tokenStateAt } from '../../domain/keys/api-token.ts';
import { firstText } from '../../domain/record.ts';
import { readPlainText } from '../../domain/text/text.ts';
import { createToken, revokeToken, TOKEN_NAME_MAX_LENGTH } from '../../moderation/tokens.ts';
import { PAGE_STATUS, PageError } from '../errors/page-error.ts';
import { redirectWithFlash } from '../flash.ts';
import { copyButton } from '../layout/copy-button.ts';
import { momentTag } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { csrfField, type PageContext } from '../layout/page.ts';
import { operatorMessages } from './messages.ts';
import { field, moderatorOf, type OperatorDeps, readMoment, redirectDone, sendOperatorPage } from './page.ts';

const PATH = '/operator/tokens';

type TokenFault = 'wrongName' | 'noScope' | 'wrongExpiry';

/** What was entered in a form that was refused. */
type RefusedToken = { fault: TokenFault; name: string; expires: string; scopes: TokenScope[] };

type Shown = { created?: string; refused?: RefusedToken };

declare module '../flash.ts' {
  interface Flash {
    /** The page after the form is the only one that shows a new token. */
    token?: Shown;
  }
}

export function tokenRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { store, clock } = deps;

  async function sendTokens(
    request: FastifyRequest,
    reply: FastifyReply,
    { created, refused }: Shown,
  ): Promise<FastifyReply> {
    const tokens = await store.tokens.list();
    const now = clock();
    return sendOperatorPage(request, reply, deps, {
      tab: 'tokens',
      view: (context) =>
        html`${created !== undefined && createdView(context, created)}${createForm(context, refused)}${tokenList(context, tokens, now)}`,
    });
  }

  app.get('/tokens', (request, reply) => sendTokens(request, reply, request.flash?.token ?? {}));

  app.post('/tokens', async (request, reply) => {
    const entered = readForm(request.body);
    const outcome = 'fault' in entered ? undefined : await createToken(moderatorOf(request, deps), entered);
    const token: Shown =
      outcome?.kind === 'created'
        ? { created: outcome.token }
        : { refused: 'fault' in entered ? entered : { ...asEntered(request.body), fault: 'wrongExpiry' } };
    const direct = token.refused ? reply.code(PAGE_STATUS.BAD_FORM) : reply;
    return redirectWithFlash(request, reply, PATH, { token }) ?? sendTokens(request, direct, token);
  });

  app.post('/tokens/:token_id/revoke', async (request, reply) => {
    const tokenId = firstText(request.params, 'token_id') ?? '';
    const { kind } = await revokeToken(moderatorOf(request, deps), tokenId);
    if (kind === 'unknown') throw new PageError('NOT_FOUND');
    return redirectDone(reply, PATH, 'token-revoked');
  });
}

type TokenForm = { name: string; scopes: TokenScope[]; expiresAt: Instant | null };

function readForm(body: unknown): TokenForm | RefusedToken {
  const entered = asEntered(body);
  const name = readPlainText(entered.name, TOKEN_NAME_MAX_LENGTH);
  if (name === undefined) return { ...entered, fault: 'wrongName' };
  const { scopes } = entered;
  if (scopes.length === 0) return { ...entered, fault: 'noScope' };
  const expiresAt = readMoment(body, 'expires');
  if (expiresAt === undefined) return { ...entered, fault: 'wrongExpiry' };
  return { name, scopes, expiresAt };
}

function asEntered(body: unknown): Omit<RefusedToken, 'fault'> {
  return {
    name: firstText(body, 'name') ?? '',
    expires: firstText(body, 'expires') ?? '',
    scopes: TOKEN_SCOPES.filter((scope) => firstText(body, scope) === 'on'),
  };
}

function createdView({ locale }: PageContext, token: string): Html {
  const text = operatorMessages[locale].tokens;
  return html`<section class="card" aria-labelledby="created"><h2 id="created" tabindex="-1" autofocus>${text.created}</h2>
<p class="measure">${text.createdHint}</p>
<div class="link-line"><code class="mono" id="new-token">${token}</code>${copyButton(locale, 'new-token', text.copy)}</div></section>`;
}

function createForm({ locale, csrfToken }: PageContext, refused: RefusedToken | undefined): Html {
  const messages = operatorMessages[locale];
  const text = messages.tokens;
  const invalid = (fault: TokenFault) =>
    refused?.fault === fault && html` aria-invalid="true" aria-describedby="token-error"`;
  const name = html`<input type="text" id="name" name="name" value="${refused?.name}" maxlength="${TOKEN_NAME_MAX_LENGTH}" autocomplete="off" required${invalid('wrongName')}>`;
  const expires = html`<input type="date" id="expires" name="expires" value="${refused?.expires}"${invalid('wrongExpiry')}>`;
  const scopes = TOKEN_SCOPES.map((scope) => {
    const isChosen = refused?.scopes.includes(scope) ?? false;
    return html`<label class="choice"><input type="checkbox" name="${scope}" value="on"${isChosen && html` checked`}${invalid('noScope')}><span><span class="choice-name mono">${scope}</span><span class="muted small-text">${text.scopes[scope]}</span></span></label>`;
  });
  return html`<section class="card" aria-labelledby="create"><div class="stack"><h2 id="create">${text.create}</h2><p class="muted measure">${text.hint} <a href="/docs?api=manage">${text.reference}</a></p></div>
${refused && html`<p class="notice bad" id="token-error" role="alert" tabindex="-1" autofocus>${text[refused.fault]}</p>`}
<form class="stack" method="post" action="${PATH}">${csrfField(csrfToken)}${field('name', messages.name, name, text.nameHint)}
<fieldset class="choices"><legend>${messages.scopes}</legend>${scopes}</fieldset>
${field('expires', text.expires, expires, text.expiresHint)}<div><button>${text.create}</button></div></form></section>`;
}

function tokenList(context: PageContext, tokens: readonly ApiToken[], now: Instant): Html {
  const messages = operatorMessages[context.locale];
  const text = messages.tokens;
  if (tokens.length === 0) return html`<div class="card"><p class="empty">${text.empty}</p></div>`;
  return html`<section class="card" aria-labelledby="tokens"><h2 id="tokens">${messages.tabs.tokens}</h2>
<div class="table-frame" tabindex="0" role="group" aria-labelledby="tokens"><table class="stacked">
<thead><tr><th scope="col">${messages.name}</th><th scope="col">${messages.scopes}</th><th scope="col">${text.expires}</th><th scope="col">${text.lastUsed}</th><th scope="col"><span class="visually-hidden">${text.revoke}</span></th></tr></thead>
<tbody>${tokens.map((token) => tokenRow(context, token, now))}</tbody></table></div></section>`;
}

function tokenRow({ locale, csrfToken }: PageContext, token: ApiToken, now: Instant): Html {
  const text = operatorMessages[locale].tokens;
  const { tokenId, name, scopes, expiresAt, lastUsedAt } = token;
  const state = tokenStateAt(token, now);
  const ended = state !== 'active' && html` <span class="badge bad">${text[state]}</span>`;
  const moment = (at: Instant | null, none: string) => (at === null ? none : momentTag(at, locale));
  return html`<tr><td><bdi>${name}</bdi>${ended} <span class="muted mono small-text">${tokenId}</span></td><td class="mono small-text">${scopes.join(' ')}</td><td>${moment(expiresAt, text.never)}</td><td>${moment(lastUsedAt, text.unused)}</td>
<td>${state === 'active' && html`<form method="post" action="${PATH}/${tokenId}/revoke">${csrfField(csrfToken)}<button class="small danger" aria-label="${text.revoke} ${name}">${text.revoke}</button></form>`}</td></tr>`;
}
