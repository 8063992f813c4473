package io.github.votary.minecraft;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Follows the feed on a thread of its own, claims every vote, and stores its rewards. A second thread asks the service whose votes those
 * of a similar name are.
 */
final class VoteFollower {
    /** Pages with more names than this first ask which of them have votes to claim, which is one request. */
    private static final int NAMES_WITHOUT_QUESTION = 3;
    /** After a refused request, such as one with a consumer too many. Corrected by /votary reload. */
    private static final int PAUSE_AFTER_REFUSAL_MS = 60_000;

    private final Api api;
    private final Ledger ledger;
    private final Settings settings;
    private final Set<String> online;
    private final Runnable onRewards;
    private final Consumer<String> log;
    private final ExecutorService names = Executors.newSingleThreadExecutor(task -> daemon(task, "votary-names"));
    private final Thread feed = daemon(this::followForever, "votary-feed");
    /** The thread from before a reload, or null. It may still be ending a claim. */
    private final Thread previous;
    private String reported = "";

    VoteFollower(
            Api api,
            Ledger ledger,
            Settings settings,
            Set<String> online,
            Runnable onRewards,
            Consumer<String> log,
            Thread previous) {
        this.api = api;
        this.ledger = ledger;
        this.settings = settings;
        this.online = online;
        this.onRewards = onRewards;
        this.log = log;
        this.previous = previous;
    }

    void start() {
        feed.start();
        online.forEach(this::checkName);
    }

    /** A claim that is interrupted here is repeated with the same key at the next start. */
    Thread stop() {
        feed.interrupt();
        names.shutdownNow();
        return feed;
    }

    /** Asks whether rewards under a similar name are those of this player, who has joined. */
    void checkName(String player) {
        if (!names.isShutdown()) {
            names.execute(() -> adopt(player));
        }
    }

    private void adopt(String player) {
        try {
            for (Map.Entry<String, Set<String>> entry : ledger.similarTo(player).entrySet()) {
                if (api.belong(entry.getValue(), player)) {
                    ledger.alias(entry.getKey(), player);
                    onRewards.run();
                }
            }
        } catch (IOException failure) {
            log.accept("the votes of " + player + " under another spelling could not be read: " + failure.getMessage());
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void followForever() {
        try {
            if (previous != null) {
                previous.join();
            }
            while (true) {
                try {
                    repeatOpenClaims();
                    follow();
                } catch (IOException | RuntimeException failure) {
                    report("votes cannot be claimed: " + failure.getMessage());
                    Thread.sleep(PAUSE_AFTER_REFUSAL_MS);
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** Once, until something else fails or works again. */
    private void report(String problem) {
        if (!problem.equals(reported)) {
            log.accept(problem);
        }
        reported = problem;
    }

    private void repeatOpenClaims() throws IOException, InterruptedException {
        for (Ledger.OpenClaim claim : ledger.openClaims()) {
            claim(claim);
        }
    }

    private void follow() throws IOException, InterruptedException {
        while (true) {
            Api.Page page = nextPage();
            claimAll(page.votes().stream().map(Vote::name).filter(this::isUsable).toList());
            // Only now: if the server crashes before, the page is read again, and nothing is left to claim in it.
            Instant newest = page.votes().stream().map(Vote::castAt).max(Instant::compareTo).orElse(Instant.EPOCH);
            ledger.moveTo(page.cursor(), page.guildId(), newest);
            reported = "";
            Thread.sleep(4000); // leaves at least half of the rate limit for claims
        }
    }

    private Api.Page nextPage() throws IOException, InterruptedException {
        Ledger.Position position = ledger.position();
        if (position.cursor().isEmpty()) {
            return api.startFeed(settings.firstStartHours() == 0 ? null : limited(ledger.startedAt()));
        }
        try {
            return api.feed(position.cursor());
        } catch (Api.RefusedException refused) {
            if (!refused.code.equals("INVALID_CURSOR")) {
                throw refused;
            }
            log.accept("the feed continues at the last vote: " + refused.getMessage());
            return api.startFeed(limited(position.lastVoteAt().minus(Duration.ofHours(1))));
        }
    }

    private static Instant limited(Instant from) {
        Instant earliest = Instant.now().minus(Duration.ofHours(Api.MAX_HOURS - 1));
        return from.isAfter(earliest) ? from : earliest;
    }

    /** Votes without a name cannot be rewarded here, and names that no player can have must not get into a command. */
    private boolean isUsable(String name) {
        if (name != null && !PlayerName.isValid(name)) {
            log.accept("a vote was ignored, because no player can have its name: " + printable(name));
        }
        return PlayerName.isValid(name);
    }

    private void claimAll(Collection<String> found) throws IOException, InterruptedException {
        List<String> all = List.copyOf(new LinkedHashSet<>(found));
        for (int first = 0; first < all.size(); first += Api.BATCH) {
            List<String> batch = all.subList(first, Math.min(first + Api.BATCH, all.size()));
            for (String name : withVotes(batch)) {
                while (claim(ledger.open(name, settings.consumer(), withinHours()))) {
                    // Each claim returns one vote; a player can have several.
                }
            }
        }
    }

    private List<String> withVotes(List<String> batch) throws IOException, InterruptedException {
        if (batch.size() <= NAMES_WITHOUT_QUESTION) {
            return batch;
        }
        List<String> remaining = new ArrayList<>(batch);
        remaining.retainAll(api.claimable(batch, withinHours()));
        return remaining;
    }

    /** Returns whether there may be another vote under the name. */
    private boolean claim(Ledger.OpenClaim open) throws IOException, InterruptedException {
        Api.Claim claim;
        try {
            claim = api.claim(open);
        } catch (Api.RefusedException refused) {
            ledger.close(open);
            throw refused;
        }
        if (claim.vote() == null) {
            ledger.close(open);
            return false;
        }
        String player = playerOf(claim.vote(), open);
        ledger.close(open, claim.vote(), player, settings, online);
        onRewards.run();
        // The player may have joined under another spelling before the rewards were stored.
        online.stream()
                .filter(name -> !name.equals(player) && PlayerName.fold(name).equals(PlayerName.fold(player)))
                .forEach(this::checkName);
        return claim.mayRemain();
    }

    /** The name to reward: that of the vote, or of an online player whose vote it is by the community's rule for names. */
    private String playerOf(Vote vote, Ledger.OpenClaim open) throws IOException, InterruptedException {
        String name = PlayerName.isValid(vote.name()) ? vote.name() : open.name();
        String known = ledger.aliasOf(name);
        if (online.contains(name) || !known.equals(name)) {
            return online.contains(name) ? name : known;
        }
        for (String player : online) {
            if (PlayerName.fold(player).equals(PlayerName.fold(name)) && api.belong(Set.of(vote.id()), player)) {
                ledger.alias(name, player);
                return player;
            }
        }
        return name;
    }

    /** Votes from before the first start are left alone: another plugin may have rewarded them. */
    private int withinHours() {
        long hours = Duration.between(ledger.startedAt(), Instant.now()).toHours() + 1;
        return (int) Math.max(1, Math.min(hours, Api.MAX_HOURS));
    }

    private static String printable(String name) {
        return name.substring(0, Math.min(name.length(), 40)).replaceAll("[^\\x21-\\x7e]", "?");
    }

    static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
