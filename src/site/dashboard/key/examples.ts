/** The claim to try, by platform, and where to go from there: a guide for each platform, and the clients. */
import { isLoopbackHost } from '../../../domain/address.ts';
import type { Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { TEST_VOTER, type TestVote, testVoteState } from '../../../domain/votes/test-vote.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import { votePath } from '../../../domain/votes/vote-link.ts';
import { docsMessages } from '../../docs/messages.ts';
import { CLIENTS_PATH, DOCS_PATH, guidePath } from '../../docs/pages.ts';
import { copyButton } from '../../layout/copy-button.ts';
import { type Html, html } from '../../layout/html.ts';
import type { PageContext } from '../../layout/page.ts';
import { keyMessages } from './messages.ts';
import { type Language, PLATFORM_NAMES, PLATFORMS, type Platform, platformAddress } from './platforms.ts';
import { testVoteView } from './test-vote.ts';

/** A placeholder that the API recognizes and reports (API_NOT_SET). */
const PLACEHOLDER = 'YOUR_API_KEY';
const SAMPLE_USER = '123456789012345678';

/** The guides for integrators, by where rewards are granted. */
const PLATFORM_GUIDES = [
  'discord-bot-node',
  'minecraft-paper',
  'java-game-server',
  'php-cms',
  'azuriom',
  'python',
  'curl',
  'webhooks',
  'votifier',
  'listforge',
  'topgg',
] as const;

/** `key`: null unless it was revealed. */
type ExamplesPage = {
  guildId: string;
  site: string;
  key: string | null;
  platform: Platform;
  language: Language;
  testVote: TestVote | null;
  now: Instant;
  lastVote: Vote | undefined;
};

export function examplesView(context: PageContext, page: ExamplesPage): Html {
  return html`${claimView(context, page)}${checkView(context, page)}${platformsView(context.locale)}`;
}

/** Whose vote the examples claim: really, so that of the admin, because nobody else should lose a reward. */
function exampleVoter({ person }: PageContext, { testVote, now }: ExamplesPage): string {
  const isTest = testVote !== null && testVoteState(testVote, now) === 'waiting';
  return isTest ? TEST_VOTER.userId : (person?.userId ?? SAMPLE_USER);
}

function claimView(context: PageContext, page: ExamplesPage): Html {
  const { locale } = context;
  const { guildId, site, key, platform } = page;
  const text = keyMessages[locale];
  const { languages } = PLATFORMS[platform];
  const all = examplesOf({ site, userId: exampleVoter(context, page), key: key ?? PLACEHOLDER });
  const examples = languages.flatMap((id) => all.filter((example) => example.id === id));
  return html`<section class="card" aria-labelledby="try-it">
<div class="stack"><h2 id="try-it">${text.claim}</h2>
<p class="muted measure">${text.claimLead}</p></div>
${platformChooser(locale, guildId, platform)}
<div class="stack"><p class="muted measure">${text.claimTry} <a href="${votePath(guildId)}">${text.votePage}</a>${text.claimRun} ${text.platformHints[platform]}</p>
${key === null && html`<p class="muted measure">${text.tryItPlaceholder}</p>`}
${isSelfSigned(site) && html`<p class="muted measure small-text">${text.selfSigned}</p>`}</div>
${testVoteView(context, page)}
<div class="languages" role="group" aria-label="${text.language}">${examples.map((example) => exampleView(locale, example, { isShown: example.id === page.language, isOnly: examples.length === 1 }))}</div>
${settingsView(locale, page)}</section>`;
}

/** Links, so that the choice works without scripts and can be bookmarked. */
function platformChooser(locale: Locale, guildId: string, current: Platform): Html {
  const text = keyMessages[locale];
  return html`<nav class="row platform-choice" aria-label="${text.choosePlatform}">${PLATFORM_NAMES.map(
    (platform) =>
      html`<a class="button small secondary" href="${platformAddress(guildId, platform)}#try-it"${platform === current && html` aria-current="true"`}>${text.platformNames[platform]}</a>`,
  )}</nav>`;
}

/** The settings of the program in the guide, with the values of this community. */
function settingsView(locale: Locale, { guildId, site, key, platform }: ExamplesPage): Html {
  const text = keyMessages[locale];
  const { titles } = docsMessages[locale];
  const { guides, settings } = PLATFORMS[platform];
  return html`<div class="stack part"><h3>${text.settings}</h3><p class="muted measure">${text.settingsLead}</p></div>
<pre class="wrap"><code id="settings">${settings({ site, guildId, key: key ?? PLACEHOLDER })}</code></pre>
<div class="row">${copyButton(locale, 'settings', text.copySettings)}${guides.map(
    (name) => html`<a class="button small secondary" href="${guidePath(name)}">${titles[name]}</a>`,
  )}</div>`;
}

function checkView({ locale }: PageContext, { site, key, lastVote }: ExamplesPage): Html {
  const text = keyMessages[locale];
  const url = `${site}/v7/vote-check?discord_id=${lastVote?.userId ?? SAMPLE_USER}`;
  return html`<section class="card" aria-labelledby="check">
<div class="stack"><h2 id="check">${text.check}</h2>
<p class="muted measure">${lastVote ? text.tryItLastVoter : text.tryItSample} ${text.checkLead}</p></div>
<pre class="wrap"><code id="check-curl">${curlLine(url, key ?? PLACEHOLDER, isSelfSigned(site))}</code></pre>
<div class="row">${copyButton(locale, 'check-curl', text.copyCheck)}</div></section>`;
}

function platformsView(locale: Locale): Html {
  const text = keyMessages[locale];
  const { titles } = docsMessages[locale];
  return html`<section class="card" aria-labelledby="platforms">
<div class="stack"><h2 id="platforms">${text.platforms}</h2><p class="muted measure">${text.platformsLead}</p></div>
<ul class="platforms">${PLATFORM_GUIDES.map((name) => html`<li><a href="${guidePath(name)}">${titles[name]}</a></li>\n`)}</ul>
<div class="row"><a class="button small secondary" href="${CLIENTS_PATH}">${text.clients}</a><a class="quiet" href="${DOCS_PATH}">${text.docs}</a></div></section>`;
}

/** Only one language is shown at a time: the style sheet hides the others. */
function exampleView(
  locale: Locale,
  { id, language, code }: Example,
  { isShown, isOnly }: { isShown: boolean; isOnly: boolean },
): Html {
  const { copyExample } = keyMessages[locale];
  const choice = html`<input class="visually-hidden" type="radio" name="language" id="language-${id}" value="${id}"${isShown && html` checked`}><label for="language-${id}">${language}</label>`;
  return html`${!isOnly && choice}<div class="language"><pre class="wrap"><code id="${id}">${code}</code></pre>
<div class="row">${copyButton(locale, id, copyExample(language))}</div></div>
`;
}

type Example = { id: Language; language: string; code: string };

type ExampleRequest = { site: string; userId: string; key: string };

/** On the local machine the certificate is self-signed. */
function isSelfSigned(site: string): boolean {
  return isLoopbackHost(new URL(site).hostname);
}

/** The same claim in five languages, without dependencies, ready to run. */
export function examplesOf({ site, userId, key }: ExampleRequest): Example[] {
  const url = `${site}/v7/guild/claims?discord_id=${userId}`;
  const isLocal = isSelfSigned(site);
  return [
    { id: 'curl', language: 'curl', code: curlLine(url, key, isLocal, '-X POST ') },
    { id: 'node', language: 'Node.js', code: nodeCode(url, key) },
    { id: 'php', language: 'PHP', code: phpCode(url, key, isLocal) },
    { id: 'python', language: 'Python', code: pythonCode(url, key, isLocal) },
    { id: 'java', language: 'Java', code: javaCode(url, key) },
  ];
}

function curlLine(url: string, key: string, isLocal: boolean, method = ''): string {
  return `curl ${isLocal ? '-k ' : ''}${method}"${url}" -H "Authorization: Bearer ${key}"`;
}

function nodeCode(url: string, key: string): string {
  return `const response = await fetch("${url}", {
  method: "POST",
  headers: { Authorization: "Bearer ${key}" },
});
const { claimed, vote, message } = await response.json();
if (claimed) console.log("Reward", vote.user_id, "for", vote.vote_id);
else console.log(message ?? "No vote to reward");`;
}

function phpCode(url: string, key: string, isLocal: boolean): string {
  return `<?php
$request = curl_init("${url}");
curl_setopt_array($request, [
    CURLOPT_CUSTOMREQUEST => "POST",
    CURLOPT_HTTPHEADER => ["Authorization: Bearer ${key}"],
    CURLOPT_RETURNTRANSFER => true,${isLocal ? '\n    CURLOPT_SSL_VERIFYPEER => false,' : ''}
]);
$result = json_decode(curl_exec($request), true);
if ($result["claimed"] ?? false) {
    echo "Reward {$result["vote"]["user_id"]} for {$result["vote"]["vote_id"]}\\n";
} else {
    echo $result["message"] ?? "No vote to reward", "\\n";
}`;
}

function pythonCode(url: string, key: string, isLocal: boolean): string {
  return `import json, ${isLocal ? 'ssl, ' : ''}urllib.request

request = urllib.request.Request(
    "${url}",
    method="POST",
    headers={"Authorization": "Bearer ${key}"},
)
with urllib.request.urlopen(request${isLocal ? ', context=ssl._create_unverified_context()' : ''}) as response:
    result = json.load(response)
if result["claimed"]:
    print("Reward", result["vote"]["user_id"], "for", result["vote"]["vote_id"])
else:
    print("No vote to reward")`;
}

/** Run with `java Claim.java`. The standard library has no parser for JSON. */
function javaCode(url: string, key: string): string {
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class Claim {
    public static void main(String[] arguments) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("${url}"))
            .method("POST", HttpRequest.BodyPublishers.noBody())
            .header("Authorization", "Bearer ${key}")
            .build();
        String result = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
        if (result.contains("\\"claimed\\":true")) System.out.println("Reward this vote: " + result);
        else System.out.println("No vote to reward: " + result);
    }
}`;
}
