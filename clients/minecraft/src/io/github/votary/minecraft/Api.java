package io.github.votary.minecraft;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Calls the API of the service. Calls block and are repeated until the service answers, so they are never made on the main thread. All
 * threads share one pause after a failure, and the log has one line for it.
 */
final class Api {
    /** `vote` is null if there was none to claim. */
    record Claim(Vote vote, boolean mayRemain) {}

    record Page(List<Vote> votes, String cursor, String guildId) {}

    /** The service has refused the request, and repeating it does not help. */
    static final class RefusedException extends IOException {
        final String code;

        RefusedException(String code, String message) {
            super(message);
            this.code = code;
        }
    }

    static final String VERSION = "0.2.0";
    /** The maximum number of names in one request. */
    static final int BATCH = 50;
    /** How far back the service looks for votes at most. */
    static final int MAX_HOURS = 744;

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int WAIT_SECONDS = 25;
    private static final int LONGEST_PAUSE_SECONDS = 60;
    /** A wrong key or certificate needs a person. The pause ends at /votary reload. */
    private static final int PAUSE_FOR_PEOPLE_SECONDS = 300;
    private static final int LINK_SECONDS = 3600;
    private static final String ADVICE_KEY =
            "the API key is not accepted: copy it from Dashboard, Developer & API, into config.yml and run /votary reload";

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final Settings settings;
    private final Consumer<String> log;
    private long pausedAt = System.nanoTime();
    private long pausedUntil = pausedAt;
    private int failures = 0;
    private String reported = "";
    private boolean hasAnswered = false;

    Api(Settings settings, Consumer<String> log) {
        this.settings = settings;
        this.log = log;
    }

    /** Claims the oldest vote under this name that nobody has claimed for this consumer. The same key returns the same vote for 24 hours. */
    Claim claim(Ledger.OpenClaim claim) throws IOException, InterruptedException {
        String query = "external_id=" + encode(claim.name()) + "&within_hours=" + claim.withinHours() + consumer(claim.consumer());
        HttpResponse<String> answer = send(request("/v7/guild/claims?" + query, TIMEOUT)
                .header("Idempotency-Key", claim.key())
                .POST(HttpRequest.BodyPublishers.noBody()));
        Map<?, ?> body = Json.readObject(answer.body());
        Vote vote = body.get("vote") instanceof Map<?, ?> map ? Vote.read(map) : null;
        // A repeated claim returns what remained at its first time, so it does not say that nothing remains now.
        boolean isReplayed = answer.headers().firstValue("idempotent-replayed").isPresent();
        return new Claim(vote, vote != null && (isReplayed || Json.integer(body, "remaining", 0) > 0));
    }

    /** Those of up to 50 names that have votes to claim. */
    Set<String> claimable(List<String> names, int withinHours) throws IOException, InterruptedException {
        StringBuilder query = new StringBuilder("within_hours=" + withinHours + consumer(settings.consumer()));
        for (String name : names) {
            query.append("&external_id=").append(encode(name));
        }
        Set<String> found = new HashSet<>();
        for (Map<?, ?> entry : Json.objects(get("/v7/guild/claimable?" + query, TIMEOUT), "results")) {
            if (Json.integer(entry, "claimable", 0) > 0) {
                found.add(Json.string(entry, "external_id"));
            }
        }
        return found;
    }

    /** Whether these votes belong to this name, by the rule for names of the community. */
    boolean belong(Set<String> voteIds, String name) throws IOException, InterruptedException {
        String query = "external_id=" + encode(name) + "&within_hours=" + MAX_HOURS + consumer(settings.consumer());
        List<Map<?, ?>> votes = Json.objects(get("/v7/guild/claims?" + query, TIMEOUT), "votes");
        return votes.stream().anyMatch(vote -> voteIds.contains(Json.string(vote, "vote_id")));
    }

    /** The votes after the cursor; waits up to 25 seconds for one. */
    Page feed(String cursor) throws IOException, InterruptedException {
        return readFeed("?wait=" + WAIT_SECONDS + "&cursor=" + encode(cursor));
    }

    /** The votes since `from`; if it is null, an empty page that starts now. */
    Page startFeed(Instant from) throws IOException, InterruptedException {
        return readFeed(from == null ? "" : "?from=" + encode(from.toString()));
    }

    private Page readFeed(String query) throws IOException, InterruptedException {
        Map<?, ?> body = get("/v7/guild/feed" + query, TIMEOUT.plusSeconds(WAIT_SECONDS));
        List<Vote> votes = Json.objects(body, "votes").stream().map(Vote::read).toList();
        return new Page(votes, Json.string(body, "next_cursor"), Json.string(body, "guild_id"));
    }

    /** The address where a player votes, signed if the settings have the secret for it. */
    String voteLink(String guildId, String player) {
        String link = settings.url() + "/guild/" + guildId + "/vote?external_id=" + encode(player);
        if (settings.linkSecret().isEmpty()) {
            return link;
        }
        long expires = Instant.now().getEpochSecond() + LINK_SECONDS;
        return link + "&expires=" + expires + "&signature=" + sign("v1." + guildId + "." + expires + "." + player);
    }

    /** What the status command says about the connection. */
    synchronized String status() {
        return failures > 0 ? "waiting: " + reported : hasAnswered ? "connected" : "no response yet";
    }

    private String sign(String text) {
        try {
            Mac hmac = Mac.getInstance("HmacSHA256");
            hmac.init(new SecretKeySpec(settings.linkSecret().getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hmac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private Map<?, ?> get(String path, Duration timeout) throws IOException, InterruptedException {
        return Json.readObject(send(request(path, timeout)).body());
    }

    private HttpRequest.Builder request(String path, Duration timeout) {
        return HttpRequest.newBuilder(URI.create(settings.url() + path))
                .header("Authorization", "Bearer " + settings.key())
                .header("User-Agent", "votary-minecraft/" + VERSION)
                .timeout(timeout);
    }

    /** Returns only responses with a JSON object that says "ok". Repeating is safe, because every claim has a key. */
    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        while (true) {
            awaitPause();
            long startedAt = System.nanoTime();
            HttpResponse<String> answer;
            try {
                answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            } catch (IOException fault) {
                // A handshake also fails while the service restarts, so only a wrong certificate needs a person.
                boolean isCertificate = isCausedByCertificate(fault);
                String reason = isCertificate ? "the certificate of the service is not accepted: " : "the service cannot be reached: ";
                pause(startedAt, reason + fault, isCertificate ? PAUSE_FOR_PEOPLE_SECONDS : 0);
                continue;
            }
            Map<?, ?> body = Json.readObject(answer.body());
            if (answer.statusCode() == 200 && body != null && Boolean.TRUE.equals(body.get("ok"))) {
                reportRecovery();
                return answer;
            }
            handleError(startedAt, answer, body == null ? Map.of() : body);
        }
    }

    private void handleError(long startedAt, HttpResponse<String> answer, Map<?, ?> body) throws RefusedException {
        int status = answer.statusCode();
        List<Map<?, ?>> invalid = Json.objects(body, "errors");
        String message = Json.string(invalid.isEmpty() ? body : invalid.get(0), "message");
        String reason = "status " + status + ": " + (message == null ? "not an answer of the Votary API" : message);
        long retryAfter = answer.headers().firstValueAsLong("retry-after").orElse(0);
        if (status == 429) {
            pause(startedAt, "the rate limit is reached (" + reason + ")", retryAfter);
        } else if (status == 401) {
            pause(startedAt, ADVICE_KEY + " (" + reason + ")", PAUSE_FOR_PEOPLE_SECONDS);
        } else if (status == 403 || status == 404) {
            pause(startedAt, reason, PAUSE_FOR_PEOPLE_SECONDS);
        } else if (status >= 400 && status < 500 && status != 408) {
            String code = Json.string(body, "error");
            throw new RefusedException(code == null ? "" : code, reason);
        } else {
            pause(startedAt, reason, retryAfter);
        }
    }

    private synchronized void awaitPause() throws InterruptedException {
        for (long left = pausedUntil - System.nanoTime(); left > 0; left = pausedUntil - System.nanoTime()) {
            wait(left / 1_000_000 + 1);
        }
    }

    /** Without `seconds`, each pause is twice as long as the last. Requests that failed together cause one pause. */
    private synchronized void pause(long startedAt, String reason, long seconds) {
        if (startedAt < pausedAt) {
            return;
        }
        long length = seconds > 0 ? seconds : Math.min(1L << Math.min(failures, 6), LONGEST_PAUSE_SECONDS);
        failures++;
        pausedAt = System.nanoTime();
        pausedUntil = pausedAt + length * 1_000_000_000L;
        if (!reason.equals(reported)) {
            log.accept(reason + " (the next attempt is in " + length + " s)");
            reported = reason;
        }
    }

    private synchronized void reportRecovery() {
        if (failures > 0) {
            log.accept("the service responds again");
        }
        failures = 0;
        reported = "";
        hasAnswered = true;
    }

    private static boolean isCausedByCertificate(Throwable fault) {
        return fault != null && (fault instanceof CertificateException || isCausedByCertificate(fault.getCause()));
    }

    private static String consumer(String name) {
        return name.isEmpty() ? "" : "&consumer=" + encode(name);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
