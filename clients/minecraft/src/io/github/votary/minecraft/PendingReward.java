package io.github.votary.minecraft;

import java.util.List;

/**
 * A reward that a player has earned and that is not finished. `hasStarted` is set before the commands of a reward with `when: now` run.
 * `{player}` is not yet filled in, because the name can still change to that under which the player joins.
 */
record PendingReward(
        String id, String voteId, String player, Reward.When when, boolean hasStarted, List<String> commands) {

    PendingReward forPlayer(String name) {
        return new PendingReward(id, voteId, name, when, hasStarted, commands);
    }

    PendingReward withStarted(boolean started) {
        return new PendingReward(id, voteId, player, when, started, commands);
    }

    List<String> filledCommands() {
        return commands.stream().map(command -> command.replace("{player}", player)).toList();
    }
}
