package io.github.votary.minecraft;

import java.util.List;

/** A reward of config.yml. `every` is 1 for rewards of each vote. */
record Reward(int every, When when, Recipients recipients, List<String> commands) {
    enum When {
        /** As soon as the vote is claimed, wherever the player is. */
        NOW,
        /** When the player is online. */
        ONLINE
    }

    /** Whose reward it is: `{player}` in the commands. */
    enum Recipients {
        /** The player who voted. */
        VOTER,
        /** Everyone who voted since the last vote party. */
        VOTERS,
        /** Everyone who is online at the vote party. */
        ONLINE
    }
}
