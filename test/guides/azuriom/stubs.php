<?php
/**
 * As much of Azuriom, its vote plugin and Laravel as the guide's plugin touches, written from how they behave: vote sites are
 * looked up by domain, and an unknown domain, a missing key and every exception count as "has voted".
 */

namespace Azuriom\Models {
    class User
    {
        public int $id;

        public function __construct(public string $name)
        {
            $this->id = crc32($name);
        }
    }
}

namespace Azuriom\Plugin\Vote\Models {
    class Site
    {
        public int $id = 1;
        /** The id of the last reward that Azuriom has recorded, by user. */
        public static array $recorded = [];

        public function __construct(public string $url, public ?string $verification_key)
        {
        }

        public function votes(): object
        {
            return new class {
                private int $userId;

                public function where(string $column, int $userId): self
                {
                    $this->userId = $userId;
                    return $this;
                }

                public function max(string $column): ?int
                {
                    return Site::$recorded[$this->userId] ?? null;
                }
            };
        }
    }
}

namespace Azuriom\Plugin\Vote\Verification {
    use Azuriom\Models\User;
    use Azuriom\Plugin\Vote\Models\Site;

    class VoteVerifier
    {
        public ?string $keyType = null;
        private $callback;

        private function __construct(private string $domain)
        {
        }

        public static function for(string $domain): self
        {
            return new self($domain);
        }

        public function requireKey(string $type): self
        {
            $this->keyType = $type;
            return $this;
        }

        public function verifyByCallback(callable $callback): self
        {
            $this->callback = $callback;
            return $this;
        }

        public function getSiteDomain(): string
        {
            return $this->domain;
        }

        public function verifyVote(Site $site, User $user, string $ip = ''): bool
        {
            try {
                return $site->verification_key === null || ($this->callback)($user, $site, [$ip]);
            } catch (\Exception) {
                return true;
            }
        }
    }

    class VoteChecker
    {
        private array $sites = [];

        public function __construct()
        {
            $this->register(VoteVerifier::for('list.example')->requireKey('api_key')->verifyByCallback(fn () => false));
        }

        protected function register(VoteVerifier $verifier): void
        {
            $this->sites[$verifier->getSiteDomain()] = $verifier;
        }

        public function getVerificationForSite(string $domain): ?VoteVerifier
        {
            return $this->sites[$domain] ?? null;
        }

        public function parseHostFromUrl(string $url): ?string
        {
            $host = parse_url($url, PHP_URL_HOST);
            return is_string($host) ? preg_replace('/^www\./', '', $host) : null;
        }

        public function verifyVote(Site $site, User $user, string $requestIp): bool
        {
            $verifier = $this->getVerificationForSite($this->parseHostFromUrl($site->url) ?? '');
            return $verifier === null || $verifier->verifyVote($site, $user, $requestIp);
        }
    }
}

namespace Azuriom\Extensions\Plugin {
    abstract class BasePluginServiceProvider
    {
        public function __construct(protected object $app)
        {
        }
    }
}

namespace Illuminate\Support\Facades {
    /** Throws without an answer, as Laravel does, whatever the reason; never for a status. */
    class Http
    {
        private array $options = [CURLOPT_RETURNTRANSFER => true, CURLOPT_FOLLOWLOCATION => true];

        public static function withToken(string $token): self
        {
            $request = new self();
            $request->options[CURLOPT_HTTPHEADER] = ["Authorization: Bearer $token"];
            return $request;
        }

        public function timeout(int $seconds): self
        {
            $this->options[CURLOPT_TIMEOUT] = $seconds;
            return $this;
        }

        public function withoutRedirecting(): self
        {
            $this->options[CURLOPT_FOLLOWLOCATION] = false;
            return $this;
        }

        public function withHeaders(array $headers): self
        {
            foreach ($headers as $name => $value) {
                $this->options[CURLOPT_HTTPHEADER][] = "$name: $value";
            }
            return $this;
        }

        public function send(string $method, string $url): object
        {
            $handle = curl_init($url);
            curl_setopt_array($handle, $this->options + [CURLOPT_CUSTOMREQUEST => $method]);
            $body = curl_exec($handle);
            if ($body === false) {
                throw new \Exception(curl_error($handle));
            }
            return new class (curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $body) {
                public function __construct(private int $status, private string $body)
                {
                }

                public function status(): int
                {
                    return $this->status;
                }

                public function json(string $key, mixed $default = null): mixed
                {
                    return json_decode($this->body, true)[$key] ?? $default;
                }
            };
        }
    }

    class Log
    {
        public static function error(string $message): void
        {
            error_log($message);
        }
    }

    class Cache
    {
        public static array $kept = [];

        public static function has(string $key): bool
        {
            return isset(self::$kept[$key]);
        }

        public static function put(string $key, mixed $value, int $seconds): void
        {
            self::$kept[$key] = [$value, $seconds];
        }

        public static function add(string $key, mixed $value, int $seconds): bool
        {
            $isNew = !self::has($key);
            self::$kept[$key] ??= [$value, $seconds];
            return $isNew;
        }

        public static function remember(string $key, int $seconds, callable $make): mixed
        {
            self::$kept[$key] ??= [$make(), $seconds];
            return self::$kept[$key][0];
        }

        public static function forget(string $key): void
        {
            unset(self::$kept[$key]);
        }
    }
}
