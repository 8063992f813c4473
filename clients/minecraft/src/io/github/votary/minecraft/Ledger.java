package io.github.votary.minecraft;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Everything that must survive a crash, in one file that is always replaced as a whole: where the feed continues, claims without a
 * stored answer, rewards that are not finished, and counts of votes. Every method that changes something has stored it when it returns.
 */
final class Ledger {
    /** A claim whose answer is not stored. It is repeated with the same values, so it returns the same vote. */
    record OpenClaim(String name, String key, String consumer, int withinHours) {}

    /** Where the feed continues: after the cursor, or at the last vote if the service does not accept the cursor. */
    record Position(String cursor, Instant lastVoteAt) {}

    /** A vote as vote parties remember it. */
    record Voter(String name, String voteId) {}

    record Summary(int votes, int players, int openClaims, int pending, int waitingForPlayers) {}

    /** The ids of so many votes are kept: a vote is not rewarded again if the service has restored a backup from before its claim. */
    private static final int SEEN = 500;
    /** The names of so many votes are kept, for vote parties that reward the voters. */
    private static final int RECENT_VOTERS = 1000;

    private final LedgerFile file;
    private final Map<String, OpenClaim> claims = new LinkedHashMap<>();
    private final Map<String, PendingReward> rewards = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private final Map<String, String> aliases = new TreeMap<>();
    private final Set<String> seen = new LinkedHashSet<>();
    private final Deque<Voter> recentVoters = new ArrayDeque<>();
    private Instant startedAt;
    private Instant lastVoteAt;
    private String cursor = "";
    private volatile String guildId = "";
    private int votes = 0;

    /** `firstStart` counts only if there is no file yet. */
    Ledger(Path path, Instant firstStart) throws IOException {
        file = new LedgerFile(path);
        startedAt = firstStart;
        lastVoteAt = firstStart;
        file.read().forEach(this::readLine);
        save();
    }

    synchronized Position position() {
        return new Position(cursor, lastVoteAt);
    }

    synchronized Instant startedAt() {
        return startedAt;
    }

    /** Never waits for the disk, because the main thread calls it. */
    String guildId() {
        return guildId;
    }

    synchronized Summary summary() {
        int waiting = (int) rewards.values().stream().filter(reward -> reward.when() == Reward.When.ONLINE).count();
        return new Summary(votes, counts.size(), claims.size(), rewards.size(), waiting);
    }

    synchronized void moveTo(String next, String guild, Instant newest) throws IOException {
        boolean isSame = next.equals(cursor) && guild.equals(guildId);
        cursor = next;
        guildId = guild;
        lastVoteAt = newest.isAfter(lastVoteAt) ? newest : lastVoteAt;
        if (!isSame) {
            save();
        }
    }

    synchronized List<OpenClaim> openClaims() {
        return List.copyOf(claims.values());
    }

    /** Stores the key of a claim before it is sent. */
    synchronized OpenClaim open(String name, String consumer, int withinHours) throws IOException {
        OpenClaim claim = claims.get(name);
        if (claim == null) {
            claim = new OpenClaim(name, UUID.randomUUID().toString(), consumer, withinHours);
            claims.put(name, claim);
            save();
        }
        return claim;
    }

    /** Without a vote: there was none to claim, or the service has refused the claim. */
    synchronized void close(OpenClaim claim) throws IOException {
        claims.remove(claim.name());
        save();
    }

    /** Stores the rewards of the vote and forgets the key of its claim, in one step. `player` is the name to reward. */
    synchronized void close(OpenClaim claim, Vote vote, String player, Settings settings, Set<String> online)
            throws IOException {
        claims.remove(claim.name());
        if (seen.add(vote.id())) {
            if (seen.size() > SEEN) {
                seen.remove(seen.iterator().next());
            }
            int count = counts.merge(PlayerName.countKey(player), 1, Integer::sum);
            votes++;
            recentVoters.addLast(new Voter(player, vote.id()));
            if (recentVoters.size() > RECENT_VOTERS) {
                recentVoters.removeFirst();
            }
            RewardPlan plan = new RewardPlan(settings, vote, player, count, votes);
            for (PendingReward reward : plan.rewards(List.copyOf(recentVoters), online)) {
                rewards.put(reward.id(), reward);
            }
        }
        save();
    }

    /** The name under which votes of this name are rewarded. */
    synchronized String aliasOf(String name) {
        return aliases.getOrDefault(name, name);
    }

    /** From now on, votes under `from` are those of the player who joins as `player`. */
    synchronized void alias(String from, String player) throws IOException {
        aliases.put(from, player);
        rewards.replaceAll((id, reward) -> reward.player().equals(from) ? reward.forPlayer(player) : reward);
        List<Voter> voters = recentVoters.stream().map(voter -> voter.name().equals(from) ? new Voter(player, voter.voteId()) : voter).toList();
        recentVoters.clear();
        recentVoters.addAll(voters);
        Integer count = counts.remove(PlayerName.countKey(from));
        if (count != null) {
            counts.merge(PlayerName.countKey(player), count, Integer::sum);
        }
        save();
    }

    /** Names with waiting rewards that could be this player under another spelling, and the votes of these rewards. */
    synchronized Map<String, Set<String>> similarTo(String player) {
        return rewards.values().stream()
                .filter(reward -> !reward.player().equals(player))
                .filter(reward -> PlayerName.fold(reward.player()).equals(PlayerName.fold(player)))
                .collect(Collectors.groupingBy(
                        PendingReward::player, Collectors.mapping(PendingReward::voteId, Collectors.toSet())));
    }

    /** The oldest reward that can be given now. */
    synchronized PendingReward next(Predicate<String> isOnline) {
        return rewards.values().stream()
                .filter(reward -> !reward.hasStarted())
                .filter(reward -> reward.when() == Reward.When.NOW || isOnline.test(reward.player()))
                .findFirst()
                .orElse(null);
    }

    /** Rewards whose commands may have run before a crash, which nobody can tell. They are not given again. */
    synchronized List<PendingReward> takeInterrupted() throws IOException {
        List<PendingReward> interrupted = rewards.values().stream().filter(PendingReward::hasStarted).toList();
        interrupted.forEach(reward -> rewards.remove(reward.id()));
        save();
        return interrupted;
    }

    synchronized void setStarted(PendingReward reward, boolean started) throws IOException {
        rewards.replace(reward.id(), reward.withStarted(started));
        save();
    }

    synchronized void finish(PendingReward reward) throws IOException {
        rewards.remove(reward.id());
        save();
    }

    private void readLine(List<String> fields) {
        switch (fields.get(0)) {
            case "feed" -> {
                cursor = fields.get(1);
                guildId = fields.get(2);
                lastVoteAt = Instant.parse(fields.get(3));
                startedAt = Instant.parse(fields.get(4));
            }
            case "votes" -> votes = Integer.parseInt(fields.get(1));
            case "claim" -> claims.put(
                    fields.get(1),
                    new OpenClaim(fields.get(1), fields.get(2), fields.get(3), Integer.parseInt(fields.get(4))));
            case "reward" -> rewards.put(
                    fields.get(1),
                    new PendingReward(
                            fields.get(1),
                            fields.get(2),
                            fields.get(3),
                            Reward.When.valueOf(fields.get(4)),
                            Boolean.parseBoolean(fields.get(5)),
                            List.copyOf(fields.subList(6, fields.size()))));
            case "count" -> counts.put(fields.get(1), Integer.parseInt(fields.get(2)));
            case "alias" -> aliases.put(fields.get(1), fields.get(2));
            case "seen" -> seen.add(fields.get(1));
            case "voter" -> recentVoters.addLast(new Voter(fields.get(1), fields.get(2)));
            default -> throw new IllegalArgumentException("unknown line: " + fields.get(0));
        }
    }

    private void save() throws IOException {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("feed", cursor, guildId, lastVoteAt.toString(), startedAt.toString()));
        lines.add(List.of("votes", String.valueOf(votes)));
        for (OpenClaim claim : claims.values()) {
            lines.add(List.of("claim", claim.name(), claim.key(), claim.consumer(), String.valueOf(claim.withinHours())));
        }
        for (PendingReward reward : rewards.values()) {
            List<String> line = new ArrayList<>(List.of("reward", reward.id(), reward.voteId(), reward.player()));
            line.addAll(List.of(reward.when().name(), String.valueOf(reward.hasStarted())));
            line.addAll(reward.commands());
            lines.add(line);
        }
        counts.forEach((name, count) -> lines.add(List.of("count", name, String.valueOf(count))));
        aliases.forEach((from, to) -> lines.add(List.of("alias", from, to)));
        seen.forEach(voteId -> lines.add(List.of("seen", voteId)));
        recentVoters.forEach(voter -> lines.add(List.of("voter", voter.name(), voter.voteId())));
        file.write(lines);
    }
}
