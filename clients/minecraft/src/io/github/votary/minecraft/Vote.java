package io.github.votary.minecraft;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;

/**
 * A vote of the feed or of a claim. `name` is the name in the vote link, or null. `total` and `streak` are the votes and the consecutive
 * days of the Discord user; 0 if the service is too old to send them.
 */
record Vote(String id, String userId, String name, Instant castAt, boolean isDoubled, int total, int streak) {
    static Vote read(Map<?, ?> json) {
        return new Vote(
                Json.string(json, "vote_id"),
                Json.string(json, "user_id"),
                Json.string(json, "external_id"),
                instant(Json.string(json, "timestamp")),
                Boolean.TRUE.equals(json.get("is_doubled")),
                Json.integer(json, "total_votes", 0),
                Json.integer(json, "streak_days", 0));
    }

    private static Instant instant(String text) {
        try {
            return text == null ? Instant.EPOCH : Instant.parse(text);
        } catch (DateTimeParseException malformed) {
            return Instant.EPOCH;
        }
    }
}
