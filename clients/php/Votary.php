<?php

declare(strict_types=1);

/**
 * Client for Votary, the self-hosted vote verification service. PHP 8.1 or newer with the curl extension.
 *
 *     $votary = new Votary\Client('https://votes.example.org', getenv('VOTARY_API_KEY'));
 *     $result = $votary->claim(externalId: 'Steve_42');
 *     if ($result['claimed']) {
 *         give_reward($result['vote']);
 *     }
 *
 * Results are arrays with the fields of the API. Dates are ISO 8601 strings in UTC.
 */

namespace Votary;

use Generator;
use InvalidArgumentException;
use RuntimeException;

/** `$error` is stable: RATE_LIMITED, INVALID_API_TOKEN, NETWORK_ERROR … The message is for your log. */
final class VotaryException extends RuntimeException
{
    /**
     * @param int|null $status the HTTP status, null if there was no response
     * @param int|null $retryAfter seconds to wait before the next attempt, if known
     * @param list<array{field: string, rule: string, message: string}> $fields the invalid parameters, for VALIDATION_ERROR
     */
    public function __construct(
        public readonly string $error,
        string $message,
        public readonly ?int $status = null,
        public readonly ?int $retryAfter = null,
        public readonly array $fields = [],
    ) {
        parent::__construct($message);
    }
}

/** The delivery is not from your Votary service, or is too old. Respond with 401 and do nothing. */
final class WebhookException extends RuntimeException
{
}

/** A client for the API of one community. */
final class Client
{
    public const VERSION = '0.2.0';

    private const BATCH_SIZE = 50;
    /** Pauses before the second and the third attempt, if the response does not say how long to wait. */
    private const RETRY_PAUSES = [1, 3];
    /** Requests per minute that the feed leaves for claims and checks. */
    private const FEED_RESERVED_REQUESTS = 10;
    private const FEED_LONGEST_PAUSE = 30;
    /** 0 is a network error. */
    private const TEMPORARY_STATUSES = [0, 429, 502, 503, 504];
    private const CERTIFICATE_ERRORS = [51, 58, 60, 77, 83, 90, 91];

    private readonly string $url;
    private readonly string $key;

    /**
     * @param int $timeout seconds per request
     * @param int $maxWait the longest pause before a retry, in seconds: a call that has to wait longer fails with `retryAfter`
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] string|false|null $key,
        private readonly int $timeout = 10,
        private readonly int $maxWait = 5,
        private readonly ?string $locale = null,
    ) {
        if (!str_starts_with($url, 'https://')) {
            throw new InvalidArgumentException('The URL must start with https://');
        }
        $this->url = rtrim($url, '/');
        $this->key = trim((string) $key);
        if ($this->key === '') {
            throw new InvalidArgumentException('The key is empty: check that the variable you read it from is set');
        }
    }

    /** Whether a user voted within the last hour. To grant a reward, use `claim`. */
    public function check(?string $discordId = null, ?string $externalId = null): array
    {
        return $this->call('GET', '/vote-check', ['discord_id' => $discordId, 'external_id' => $externalId])[0];
    }

    /**
     * Checks any number of users and returns the results in the same order. Sends one request per 50 users.
     *
     * @param list<string> $discordIds
     * @param list<string> $externalIds
     */
    public function checks(array $discordIds = [], array $externalIds = []): array
    {
        return $this->batches('/vote-checks', $discordIds, $externalIds);
    }

    /**
     * Claims the oldest unclaimed vote of a user: `claimed`, `vote`, `remaining`, `replayed`, `guild_id`. Each vote can be
     * claimed only once. For 24 hours, the same idempotency key with the same arguments returns the same result: store it before
     * the call, to be able to repeat the call after a crash. Without one, a new key is used. Only for a test vote of the
     * dashboard the result has `test`, which is true: grant nothing for it.
     */
    public function claim(
        ?string $discordId = null,
        ?string $externalId = null,
        ?int $withinHours = null,
        ?string $idempotencyKey = null,
        ?string $consumer = null,
    ): array {
        $idempotencyKey ??= bin2hex(random_bytes(16));
        if (!preg_match('/\A[\x21-\x7e]{1,255}\z/', $idempotencyKey)) {
            throw new InvalidArgumentException('The idempotency key must be 1 to 255 visible ASCII characters');
        }
        $parameters = ['discord_id' => $discordId, 'external_id' => $externalId, 'within_hours' => $withinHours, 'consumer' => $consumer];
        [$body, $headers] = $this->call('POST', '/guild/claims', $parameters, ["Idempotency-Key: $idempotencyKey"]);
        return $body + ['replayed' => ($headers['idempotent-replayed'] ?? '') === 'true'];
    }

    /** The claimed and claimable votes of a user: `claimable`, `claimed`, `votes`. Read-only. */
    public function claims(
        ?string $discordId = null,
        ?string $externalId = null,
        ?int $withinHours = null,
        ?string $consumer = null,
    ): array {
        $parameters = ['discord_id' => $discordId, 'external_id' => $externalId, 'within_hours' => $withinHours, 'consumer' => $consumer];
        return $this->call('GET', '/guild/claims', $parameters)[0];
    }

    /**
     * How many votes of any number of users can be claimed: `[['external_id' => …, 'claimable' => 2], …]` in the same order. Read-only.
     * Sends one request per 50 users, so that a server can ask for all players and claim only where there is something.
     *
     * @param list<string> $discordIds
     * @param list<string> $externalIds
     */
    public function claimable(
        array $discordIds = [],
        array $externalIds = [],
        ?int $withinHours = null,
        ?string $consumer = null,
    ): array {
        $parameters = ['within_hours' => $withinHours, 'consumer' => $consumer];
        return $this->batches('/guild/claimable', $discordIds, $externalIds, $parameters);
    }

    /**
     * Makes a claimed vote claimable again. Pass the vote as `claim` returned it: `$votary->release($result['vote'])`. Then only this
     * claim is released, and the call is retried like any other. Returns false if the vote is not claimed any more, or was claimed
     * again since: an earlier attempt may have released it. Instead of the vote, you can pass its `vote_id` and `claimed_at`. Without
     * `claimed_at` the claim is released whoever holds it, and only a rate limit is retried. `$consumer` is the one that claimed it.
     */
    public function release(string|array $vote, ?string $claimedAt = null, ?string $consumer = null): bool
    {
        [$voteId, $claimedAt] = is_array($vote) ? [$vote['vote_id'], $vote['claimed_at']] : [$vote, $claimedAt];
        if (is_array($vote) && $claimedAt === null) {
            throw new InvalidArgumentException('release needs a vote as claim returned it, with claimed_at');
        }
        if (!preg_match('/\A\w+\z/', $voteId)) {
            throw new VotaryException('INVALID_VOTE_ID', 'The vote id must be the vote_id of a claimed vote.');
        }
        // Without claimed_at, a second request could release a newer claim.
        $retried = $claimedAt === null ? [429] : self::TEMPORARY_STATUSES;
        $parameters = ['claimed_at' => $claimedAt, 'consumer' => $consumer];
        return $this->call('DELETE', "/guild/claims/$voteId", $parameters, retried: $retried)[0]['released'];
    }

    /** The goal of the community: `goal` is null, or has `period`, `target`, `votes`, `remaining` and `resets_at`. */
    public function goal(): array
    {
        return $this->call('GET', '/guild/goal', [])[0];
    }

    /** Every unclaimed vote of the community (Premium), oldest first. */
    public function pendingClaims(?int $withinHours = null, ?string $consumer = null): Generator
    {
        $cursor = null;
        do {
            $parameters = ['within_hours' => $withinHours, 'consumer' => $consumer, 'limit' => 1000, 'cursor' => $cursor];
            [$body] = $this->call('GET', '/guild/claims/pending', $parameters);
            foreach ($body['votes'] as $vote) {
                yield $vote;
            }
            $cursor = $body['pagination']['next_cursor'];
        } while ($cursor !== null);
    }

    /**
     * Every new vote, forever, as pages: `['votes' => […], 'cursor' => '…']`. Store the cursor after processing the votes. Without a
     * cursor, the feed starts at `$from` (ISO 8601, at most 31 days ago), or now; its first page may then be empty. Keeps trying while
     * the service is unavailable; throws errors that a retry cannot fix, such as INVALID_API_TOKEN. For scripts, not for web pages.
     */
    public function feed(?string $cursor = null, ?string $from = null, int $limit = 100, int $wait = 25): Generator
    {
        while (true) {
            $started = microtime(true);
            $isStart = $cursor === null;
            $parameters = ['cursor' => $cursor, 'limit' => $limit];
            // The first request does not wait for votes, so that the caller can store the start immediately.
            $parameters += $isStart ? ['from' => $from, 'wait' => 0] : ['wait' => $wait];
            [$body, $headers] = $this->feedPage($parameters);
            if ($body['votes'] !== [] || $isStart) {
                yield ['votes' => $body['votes'], 'cursor' => $body['next_cursor']];
            }
            $cursor = $body['next_cursor'];
            $isLimited = preg_match('/;\s*r=(\d+)\s*;\s*t=(\d+)/', $headers['ratelimit'] ?? '', $limits) === 1;
            if ($isLimited && (int) $limits[1] <= self::FEED_RESERVED_REQUESTS) {
                sleep((int) $limits[2]);
            } elseif ($body['votes'] === [] && !$isStart) {
                usleep((int) max(0, 1e6 * (1 - (microtime(true) - $started))));
            }
        }
    }

    private function feedPage(array $parameters): array
    {
        for ($pause = 1; ; $pause = min($pause * 2, self::FEED_LONGEST_PAUSE)) {
            try {
                return $this->call('GET', '/guild/feed', $parameters, timeout: $this->timeout + $parameters['wait']);
            } catch (VotaryException $exception) {
                $isTemporary = in_array($exception->status ?? 0, [500, ...self::TEMPORARY_STATUSES], true);
                if (!$isTemporary || $exception->error === 'CERTIFICATE_ERROR') {
                    throw $exception;
                }
                sleep($exception->retryAfter ?: $pause);
            }
        }
    }

    /**
     * The address of the voting page. After the vote, a button leads to `$returnTo`, an https address. `$secret` (vls_…) and
     * `$expires` (Unix seconds) sign the link, for communities that require it.
     */
    public function voteLink(
        string $guildId,
        ?string $externalId = null,
        ?string $returnTo = null,
        #[\SensitiveParameter] ?string $secret = null,
        ?int $expires = null,
    ): string {
        $parameters = ['external_id' => $externalId, 'return_to' => $returnTo];
        if ($secret !== null) {
            if ($expires === null) {
                throw new InvalidArgumentException('A signed link needs $expires');
            }
            $signature = hash_hmac('sha256', "v1.$guildId.$expires.$externalId", $secret, true);
            $parameters['expires'] = $expires;
            $parameters['signature'] = rtrim(strtr(base64_encode($signature), '+/', '-_'), '=');
        }
        $query = self::query($parameters);
        return "$this->url/guild/" . rawurlencode($guildId) . '/vote' . ($query === '' ? '' : "?$query");
    }

    /**
     * Verifies a webhook and returns its event: `id`, `type`, `timestamp`, `data`. Throws a WebhookException if the signature is invalid. An
     * event can arrive more than once, with the same id.
     *
     *     $event = Votary\Client::verifyWebhook(file_get_contents('php://input'), getallheaders(), getenv('VOTARY_WEBHOOK_SECRET'));
     *
     * @param string $body exactly as it arrived
     * @param array<string, string> $headers
     * @param string|list<string> $secret whsec_…, or several while a secret is being rotated
     */
    public static function verifyWebhook(
        string $body,
        array $headers,
        #[\SensitiveParameter] string|array $secret,
        int $tolerance = 300,
        ?int $now = null,
    ): array {
        $headers = array_change_key_case($headers);
        [$id, $sentAt] = [(string) ($headers['webhook-id'] ?? ''), (string) ($headers['webhook-timestamp'] ?? '')];
        if ($id === '' || !preg_match('/\A\d{1,12}\z/', $sentAt)) {
            throw new WebhookException('The headers webhook-id and webhook-timestamp are missing or malformed.');
        }
        if (abs(($now ?? time()) - (int) $sentAt) > $tolerance) {
            throw new WebhookException('The delivery is too old, or the clock of this machine is wrong.');
        }
        $signatures = explode(' ', (string) ($headers['webhook-signature'] ?? ''));
        foreach ((array) $secret as $text) {
            $key = base64_decode(preg_replace('/\Awhsec_/', '', trim($text)), true);
            if ($key === false || $key === '') {
                throw new InvalidArgumentException('The webhook secret must be whsec_ followed by base64');
            }
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
            foreach ($signatures as $signature) {
                if (hash_equals($expected, $signature)) {
                    return self::readEvent($id, $body);
                }
            }
        }
        throw new WebhookException('The signature does not match: check the secret, and that the body is unchanged.');
    }

    private static function readEvent(string $id, string $body): array
    {
        $event = json_decode($body, true);
        if (!is_string($event['type'] ?? null) || !is_array($event['data'] ?? null)) {
            throw new WebhookException('The body is not an event.');
        }
        return ['id' => $id] + $event;
    }

    private function batches(string $path, array $discordIds, array $externalIds, array $parameters = []): array
    {
        if ($discordIds !== [] && $externalIds !== []) {
            throw new VotaryException('MULTIPLE_IDENTIFIERS', 'Pass discordIds or externalIds, not both.');
        }
        [$name, $ids] = $discordIds !== [] ? ['discord_id', $discordIds] : ['external_id', $externalIds];
        $results = [];
        foreach (array_chunk($ids, self::BATCH_SIZE) as $batch) {
            array_push($results, ...$this->call('GET', $path, [$name => $batch] + $parameters)[0]['results']);
        }
        return $results;
    }

    /**
     * @param list<int> $retried statuses that are retried; 0 is a network error
     * @return array{array, array<string, string>} the body, and the headers in lower case
     */
    private function call(
        string $method,
        string $path,
        array $parameters = [],
        array $headers = [],
        ?int $timeout = null,
        array $retried = self::TEMPORARY_STATUSES,
    ): array {
        $query = self::query($parameters + ['locale' => $this->locale]);
        $address = "$this->url/v7$path" . ($query === '' ? '' : "?$query");
        foreach ([...self::RETRY_PAUSES, null] as $pause) {
            try {
                return $this->send($method, $address, $headers, $timeout ?? $this->timeout);
            } catch (VotaryException $exception) {
                $isRetried = in_array($exception->status ?? 0, $retried, true);
                // A request before retry_after has passed would be rejected again.
                $wait = $exception->retryAfter ?: $pause;
                if (!$isRetried || $pause === null || $wait > $this->maxWait || $exception->error === 'CERTIFICATE_ERROR') {
                    throw $exception;
                }
                sleep($wait);
            }
        }
    }

    private function send(string $method, string $address, array $headers, int $timeout): array
    {
        $received = [];
        $request = curl_init($address);
        curl_setopt_array($request, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => $timeout,
            CURLOPT_USERAGENT => 'votary-php/' . self::VERSION,
            CURLOPT_HTTPHEADER => ["Authorization: Bearer $this->key", 'Accept: application/json', ...$headers],
            CURLOPT_HEADERFUNCTION => function ($request, string $line) use (&$received): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
        ]);
        $text = curl_exec($request);
        if ($text === false) {
            throw $this->readNetworkError(curl_errno($request), curl_error($request));
        }
        $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
        $body = json_decode($text, true);
        if ($status === 200 && is_array($body)) {
            return [$body, $received];
        }
        throw self::readError($status, is_array($body) ? $body : [], $received);
    }

    private function readNetworkError(int $code, string $message): VotaryException
    {
        if (in_array($code, self::CERTIFICATE_ERRORS, true)) {
            return new VotaryException('CERTIFICATE_ERROR', "$message (if it is self-signed, set curl.cainfo to its path)");
        }
        return new VotaryException($code === CURLE_OPERATION_TIMEDOUT ? 'TIMEOUT' : 'NETWORK_ERROR', $message);
    }

    private static function readError(int $status, array $body, array $headers): VotaryException
    {
        $header = $headers['retry-after'] ?? '';
        $seconds = $body['retry_after'] ?? $header;
        $retryAfter = is_numeric($seconds) ? (int) ceil((float) $seconds) : null;
        if (is_array($body['errors'] ?? null)) {
            $message = implode(' ', array_column($body['errors'], 'message'));
            return new VotaryException('VALIDATION_ERROR', $message, $status, null, $body['errors']);
        }
        if (is_string($body['error'] ?? null)) {
            return new VotaryException($body['error'], (string) ($body['message'] ?? ''), $status, $retryAfter);
        }
        if ($status === 429) {
            return new VotaryException('RATE_LIMITED', 'A proxy rejected the request: too many requests.', $status, $retryAfter);
        }
        $message = "The response (HTTP $status) is not from the Votary API: check the address.";
        return new VotaryException('INVALID_RESPONSE', $message, $status, $retryAfter);
    }

    /** Lists become repeated parameters; null values are omitted. */
    private static function query(array $parameters): string
    {
        $parts = [];
        foreach ($parameters as $name => $values) {
            foreach ((array) $values as $value) {
                $parts[] = $name . '=' . rawurlencode((string) $value);
            }
        }
        return implode('&', $parts);
    }
}
