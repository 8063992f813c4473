package io.github.votary.minecraft;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.bukkit.NamespacedKey;
import org.bukkit.command.Command;
import org.bukkit.command.CommandSender;
import org.bukkit.entity.Player;
import org.bukkit.event.EventHandler;
import org.bukkit.event.Listener;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.persistence.PersistentDataContainer;
import org.bukkit.persistence.PersistentDataType;
import org.bukkit.plugin.java.JavaPlugin;

/** Starts and stops the threads, and does what Bukkit allows only on the main thread: events, commands and rewards. */
public final class VotaryPlugin extends JavaPlugin implements Listener, RewardWorker.MainThread {
    /** Characters of reward ids to keep per player: about the last hundred rewards. */
    private static final int REMEMBERED = 7000;

    /** Names of online players, readable from any thread. */
    private final Set<String> online = ConcurrentHashMap.newKeySet();
    private NamespacedKey rewarded;
    private Ledger ledger;
    private RewardWorker worker;
    private VoteFollower follower;
    private Api api;

    @Override
    public void onEnable() {
        saveDefaultConfig();
        rewarded = new NamespacedKey(this, "rewarded");
        getServer().getOnlinePlayers().forEach(player -> online.add(player.getName()));
        getServer().getPluginManager().registerEvents(this, this);
        String problem = load();
        if (problem != null) {
            getLogger().severe(problem);
        }
    }

    @Override
    public void onDisable() {
        if (follower != null) {
            follower.stop();
        }
        if (worker != null) {
            worker.stop();
        }
    }

    @EventHandler
    public void onJoin(PlayerJoinEvent event) {
        String name = event.getPlayer().getName();
        online.add(name);
        if (worker != null) {
            worker.wake();
            follower.checkName(name);
        }
    }

    @EventHandler
    public void onQuit(PlayerQuitEvent event) {
        online.remove(event.getPlayer().getName());
    }

    @Override
    public boolean onCommand(CommandSender sender, Command command, String label, String[] arguments) {
        if (command.getName().equalsIgnoreCase("vote")) {
            sender.sendMessage(link(sender));
            return true;
        }
        switch (arguments.length == 1 ? arguments[0] : "") {
            case "reload" -> {
                reloadConfig();
                String problem = load();
                sender.sendMessage(problem == null ? "Votary: config.yml was read again" : "Votary: " + problem);
            }
            case "status" -> VoteFollower.daemon(() -> tellStatus(sender), "votary-status").start();
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Uses the settings of config.yml from now on. Returns what is wrong with them; the previous ones then stay in use. */
    private String load() {
        try {
            Settings settings = Settings.read(getConfig());
            if (ledger == null) {
                Instant firstStart = Instant.now().minus(Duration.ofHours(settings.firstStartHours()));
                ledger = new Ledger(getDataFolder().toPath().resolve("ledger.txt"), firstStart);
                worker = new RewardWorker(ledger, online, this, getLogger()::warning);
                worker.start();
            }
            Thread previous = follower == null ? null : follower.stop();
            api = new Api(settings, getLogger()::warning);
            follower = new VoteFollower(api, ledger, settings, online, worker::wake, getLogger()::warning, previous);
            follower.start();
            return null;
        } catch (Settings.InvalidException invalid) {
            return "config.yml, " + invalid.getMessage() + ". Then run /votary reload.";
        } catch (IOException | RuntimeException failure) {
            return "votes are not rewarded: " + failure.getMessage();
        }
    }

    private String link(CommandSender sender) {
        if (ledger == null || ledger.guildId().isEmpty()) {
            return "The vote link is not known yet. Try again in a minute.";
        }
        return api.voteLink(ledger.guildId(), sender instanceof Player ? sender.getName() : "");
    }

    /** Not on the main thread, because the ledger may be being written. */
    private void tellStatus(CommandSender sender) {
        String status = status();
        run(() -> sender.sendMessage(status));
    }

    private String status() {
        if (ledger == null) {
            return "Votary " + Api.VERSION + ": not started, see the log";
        }
        Ledger.Summary summary = ledger.summary();
        return "Votary " + Api.VERSION + ": " + api.status() + "; " + summary.votes() + " votes of " + summary.players() + " players; "
                + summary.pending() + " rewards waiting, " + summary.waitingForPlayers() + " of them for their player to join; "
                + summary.openClaims() + " unfinished claims";
    }

    @Override
    public void run(Runnable task) {
        getServer().getScheduler().runTask(this, task);
    }

    @Override
    public void runCommands(PendingReward reward) {
        for (String command : reward.filledCommands()) {
            try {
                if (!getServer().dispatchCommand(getServer().getConsoleSender(), command)) {
                    getLogger().warning("the server does not know this reward command: " + command);
                }
            } catch (RuntimeException failure) {
                getLogger().warning("this reward command failed: " + command + ": " + failure);
            }
        }
    }

    @Override
    public boolean rewardOnline(PendingReward reward) {
        Player player = getServer().getPlayerExact(reward.player());
        if (player == null || !player.getName().equals(reward.player())) {
            return false;
        }
        PersistentDataContainer data = player.getPersistentDataContainer();
        String before = data.getOrDefault(rewarded, PersistentDataType.STRING, "");
        if (!(" " + before + " ").contains(" " + reward.id() + " ")) {
            runCommands(reward);
            String ids = before.isEmpty() ? reward.id() : reward.id() + " " + before;
            data.set(rewarded, PersistentDataType.STRING, ids.substring(0, Math.min(ids.length(), REMEMBERED)));
            player.saveData();
        }
        return true;
    }
}
