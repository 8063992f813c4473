package io.github.votary.minecraft;

import java.util.Locale;
import java.util.regex.Pattern;

/** Rules for names. Which votes belong to a player is decided by the service (setting "Player names" of the community). */
final class PlayerName {
    /** A Java name, or a Bedrock name with the prefix that Floodgate adds. */
    private static final Pattern VALID = Pattern.compile("[.*~+!-]?[A-Za-z0-9_]{1,16}");

    private PlayerName() {}

    /**
     * Whether the name may be part of a console command. Anybody can put any name into a vote link: "@a" would reward every player, and
     * "Steve netherite_block 64" would change the command.
     */
    static boolean isValid(String name) {
        return name != null && VALID.matcher(name).matches();
    }

    /** Equal for names that can be the same player under the most lenient rule. */
    static String fold(String name) {
        String folded = name.toLowerCase(Locale.ROOT);
        return ".*~+!-".indexOf(folded.charAt(0)) < 0 ? folded : folded.substring(1);
    }

    /** Minecraft names differ in more than case, so votes of a player are counted together. */
    static String countKey(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
