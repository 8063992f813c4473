<?php
// Loads the plugin in plugins/votary as Azuriom does, and asks the checker that it binds about each vote in argv, as JSON
// of [address of the site, key, player, "crash" or nothing]. What it accepts is recorded as rewarded, unless Azuriom crashes before that;
// then the short-lived marks of the cache are over when it is asked again. Prints what it answers, and what was cached.
require __DIR__ . '/stubs.php';

use Azuriom\Models\User;
use Azuriom\Plugin\Vote\Models\Site;
use Azuriom\Plugin\Vote\Verification\VoteChecker;
use Illuminate\Support\Facades\Cache;

$plugin = getcwd() . '/plugins/votary';
$description = json_decode(file_get_contents("$plugin/plugin.json"), true);
$autoload = json_decode(file_get_contents("$plugin/composer.json"), true)['autoload']['psr-4'];
spl_autoload_register(function (string $class) use ($plugin, $autoload) {
    foreach ($autoload as $prefix => $folder) {
        if (str_starts_with($class, $prefix)) {
            require "$plugin/$folder" . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        }
    }
});

$app = new class {
    public array $bound = [];

    public function bind(string $abstract, string $concrete): void
    {
        $this->bound[$abstract] = $concrete;
    }
};
foreach ($description['providers'] as $provider) {
    (new $provider($app))->register();
}

$checker = new $app->bound[VoteChecker::class]();
$answers = [];
foreach (json_decode($argv[1], true) as $vote) {
    [$url, $key, $player] = $vote;
    $user = new User($player);
    $answers[] = $isAccepted = $checker->verifyVote(new Site($url, $key), $user, '203.0.113.7');
    if (($vote[3] ?? '') === 'crash') {
        Cache::$kept = array_filter(Cache::$kept, fn (array $entry) => $entry[1] > 60);
    } elseif ($isAccepted && ($vote[3] ?? '') !== 'at once') {
        Site::$recorded[$user->id] = (Site::$recorded[$user->id] ?? 0) + 1;
    }
}
echo json_encode(['id' => $description['id'], 'answers' => $answers, 'limited' => Cache::$kept['votary.limited'][1] ?? null]);
