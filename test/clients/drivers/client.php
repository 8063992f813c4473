<?php

// Runs calls of the shared cases with the PHP client: one JSON line in, one out.

declare(strict_types=1);

require $argv[1];

function camel(string $text): string
{
    return lcfirst(str_replace('_', '', ucwords($text, '_')));
}

function call(array $client, string $name, array $given): mixed
{
    $arguments = array_combine(array_map('camel', array_keys($given)), $given);
    if ($name === 'verify_webhook') {
        return Votary\Client::verifyWebhook(...$arguments);
    }
    $votary = new Votary\Client($client['url'], $client['key'], locale: $client['locale'] ?? null);
    $result = $votary->{camel($name)}(...$arguments);
    return match ($name) {
        'feed' => $result->current(),
        'pending_claims' => iterator_to_array($result, false),
        default => $result,
    };
}

while (($line = fgets(STDIN)) !== false) {
    $step = json_decode($line, true);
    try {
        $outcome = ['result' => call($step['client'], $step['call'], $step['arguments'])];
    } catch (Votary\VotaryException $exception) {
        $outcome = ['error' => [
            'code' => $exception->error,
            'message' => $exception->getMessage(),
            'status' => $exception->status,
            'fields' => $exception->fields,
        ]];
    } catch (Votary\WebhookException $exception) {
        $outcome = ['error' => ['code' => 'WEBHOOK_REFUSED', 'message' => $exception->getMessage()]];
    }
    echo json_encode($outcome), "\n";
}
