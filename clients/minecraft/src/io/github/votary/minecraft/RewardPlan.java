package io.github.votary.minecraft;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rewards of one vote. `count` are the votes of the player and `votes` those of all players, with this one. */
record RewardPlan(Settings settings, Vote vote, String player, int count, int votes) {

    List<PendingReward> rewards(List<Ledger.Voter> recentVoters, Set<String> online) {
        List<PendingReward> planned = new ArrayList<>();
        add(planned, "vote", settings.perVote(), count, recentVoters, online);
        add(planned, "cumulative", settings.cumulative(), count, recentVoters, online);
        add(planned, "party", settings.party(), votes, recentVoters, online);
        return planned;
    }

    private void add(
            List<PendingReward> planned,
            String kind,
            List<Reward> rewards,
            int reached,
            List<Ledger.Voter> recentVoters,
            Set<String> online) {
        for (int i = 0; i < rewards.size(); i++) {
            Reward reward = rewards.get(i);
            if (reached % reward.every() != 0) {
                continue;
            }
            List<String> commands = reward.commands().stream().map(this::fill).toList();
            for (Map.Entry<String, String> recipient : recipients(reward, recentVoters, online).entrySet()) {
                String id = String.join(":", vote.id(), kind, String.valueOf(i), recipient.getKey());
                planned.add(new PendingReward(id, recipient.getValue(), recipient.getKey(), reward.when(), false, commands));
            }
        }
    }

    /** The name of each recipient, and a vote that tells whose name it is. */
    private Map<String, String> recipients(Reward reward, List<Ledger.Voter> recentVoters, Set<String> online) {
        Map<String, String> names = new LinkedHashMap<>();
        switch (reward.recipients()) {
            case VOTER -> names.put(player, vote.id());
            case ONLINE -> online.stream().filter(PlayerName::isValid).forEach(name -> names.put(name, vote.id()));
            case VOTERS -> recentVoters
                    .subList(Math.max(0, recentVoters.size() - reward.every()), recentVoters.size())
                    .forEach(voter -> names.put(voter.name(), voter.voteId()));
        }
        return names;
    }

    /** Names are checked before they get here (PlayerName), and ids and numbers come from the service. */
    private String fill(String command) {
        Map<String, Object> values = Map.of(
                "{amount}", vote.isDoubled() ? 2 : 1,
                "{total}", vote.total() > 0 ? vote.total() : count,
                "{streak}", Math.max(vote.streak(), 1),
                "{votes}", count,
                "{party}", votes,
                "{until_party}", settings.untilParty(votes),
                "{voter}", player,
                "{user_id}", String.valueOf(vote.userId()),
                "{vote_id}", vote.id());
        String filled = command;
        for (Map.Entry<String, Object> value : values.entrySet()) {
            filled = filled.replace(value.getKey(), String.valueOf(value.getValue()));
        }
        return filled;
    }
}
