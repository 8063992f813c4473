import { isLoopbackHost } from '../../../domain/address.ts';

export type Example = { id: string; language: string; code: string };

export type ExampleRequest = { site: string; userId: string; key: string };

/** On the local machine the certificate is self-signed. */
export function isSelfSigned(site: string): boolean {
  return isLoopbackHost(new URL(site).hostname);
}

/** The same vote check in four languages, without dependencies, ready to run. */
export function examplesOf({ site, userId, key }: ExampleRequest): Example[] {
  const url = `${site}/v7/vote-check?discord_id=${userId}`;
  return [
    { id: 'curl', language: 'curl', code: curlLine(url, key, isSelfSigned(site)) },
    { id: 'node', language: 'Node.js', code: nodeCode(url, key) },
    { id: 'php', language: 'PHP', code: phpCode(url, key, isSelfSigned(site)) },
    { id: 'python', language: 'Python', code: pythonCode(url, key, isSelfSigned(site)) },
  ];
}

function curlLine(url: string, key: string, isLocal: boolean): string {
  return `curl ${isLocal ? '-k ' : ''}"${url}" -H "Authorization: Bearer ${key}"`;
}

function nodeCode(url: string, key: string): string {
  return `const response = await fetch("${url}", {
  headers: { Authorization: "Bearer ${key}" },
});
const vote = await response.json();
console.log(vote.has_voted);`;
}

function phpCode(url: string, key: string, isLocal: boolean): string {
  return `<?php
$request = curl_init("${url}");
curl_setopt_array($request, [
    CURLOPT_HTTPHEADER => ["Authorization: Bearer ${key}"],
    CURLOPT_RETURNTRANSFER => true,${isLocal ? '\n    CURLOPT_SSL_VERIFYPEER => false,' : ''}
]);
$vote = json_decode(curl_exec($request), true);
var_dump($vote["has_voted"]);`;
}

function pythonCode(url: string, key: string, isLocal: boolean): string {
  return `import json, ${isLocal ? 'ssl, ' : ''}urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"Authorization": "Bearer ${key}"},
)
with urllib.request.urlopen(request${isLocal ? ', context=ssl._create_unverified_context()' : ''}) as response:
    vote = json.load(response)
print(vote["has_voted"])`;
}
