package io.github.votary.minecraft;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.bukkit.configuration.file.FileConfiguration;

/** The checked content of config.yml. Empty texts are settings that are not used. */
record Settings(
        String url,
        String key,
        String consumer,
        String linkSecret,
        int firstStartHours,
        List<Reward> perVote,
        List<Reward> cumulative,
        List<Reward> party) {

    /** The reason why config.yml cannot be used, for the person who edits it. */
    static final class InvalidException extends Exception {
        InvalidException(String message) {
            super(message);
        }
    }

    static Settings read(FileConfiguration config) throws InvalidException {
        String url = text(config, "url").replaceAll("/+$", "");
        String key = text(config, "api-key");
        String consumer = text(config, "consumer");
        int hours = config.getInt("first-start-hours");
        require(url.matches("https://[^/?#\\s]+"), "url: enter the address of the voting site, such as https://votes.example.org");
        require(key.startsWith("vty_"), "api-key: enter the key of your community (Dashboard, Developer & API); it begins with vty_");
        require(consumer.matches("[a-z0-9-]{0,32}"), "consumer: use up to 32 lower-case letters, digits and hyphens");
        require(hours >= 0 && hours <= Api.MAX_HOURS, "first-start-hours: use a number from 0 to " + Api.MAX_HOURS);
        return new Settings(
                url,
                key,
                consumer,
                text(config, "link-secret"),
                hours,
                rewards(config, "vote-rewards"),
                rewards(config, "cumulative-rewards"),
                rewards(config, "party-rewards"));
    }

    /** Votes until the next vote party of the shortest interval; 0 if there are no vote parties. */
    int untilParty(int votes) {
        return party.stream().mapToInt(Reward::every).min().stream().map(every -> every - votes % every).findFirst().orElse(0);
    }

    private static List<Reward> rewards(FileConfiguration config, String path) throws InvalidException {
        List<Reward> rewards = new ArrayList<>();
        for (Map<?, ?> entry : config.getMapList(path)) {
            String place = path + ", entry " + (rewards.size() + 1) + ": ";
            int every = 1;
            if (!path.equals("vote-rewards")) {
                require(entry.get("every") instanceof Integer number && number > 0, place + "every: enter a number of votes");
                every = (Integer) entry.get("every");
            }
            rewards.add(new Reward(every, when(entry, place), recipients(entry, path, place), commands(entry, place)));
        }
        return List.copyOf(rewards);
    }

    private static Reward.When when(Map<?, ?> entry, String place) throws InvalidException {
        String when = word(entry, "when", "online");
        require(when.equals("now") || when.equals("online"), place + "when: use now or online");
        return when.equals("now") ? Reward.When.NOW : Reward.When.ONLINE;
    }

    private static Reward.Recipients recipients(Map<?, ?> entry, String path, String place) throws InvalidException {
        if (!path.equals("party-rewards")) {
            return Reward.Recipients.VOTER;
        }
        String recipients = word(entry, "for", "server");
        switch (recipients) {
            case "server":
                return Reward.Recipients.VOTER;
            case "voters":
                return Reward.Recipients.VOTERS;
            case "online":
                return Reward.Recipients.ONLINE;
            default:
                throw new InvalidException(place + "for: use server, voters or online");
        }
    }

    private static List<String> commands(Map<?, ?> entry, String place) throws InvalidException {
        List<String> commands = new ArrayList<>();
        if (entry.get("commands") instanceof List<?> list) {
            list.forEach(command -> commands.add(String.valueOf(command).strip().replaceFirst("^/", "")));
        }
        require(!commands.isEmpty() && !commands.contains(""), place + "commands: enter at least one console command");
        return List.copyOf(commands);
    }

    private static String word(Map<?, ?> entry, String name, String otherwise) {
        return entry.get(name) == null ? otherwise : String.valueOf(entry.get(name)).toLowerCase(Locale.ROOT);
    }

    private static String text(FileConfiguration config, String path) {
        String text = config.getString(path);
        return text == null ? "" : text.strip();
    }

    private static void require(boolean isValid, String message) throws InvalidException {
        if (!isValid) {
            throw new InvalidException(message);
        }
    }
}
