import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bukkit.NamespacedKey;
import org.bukkit.Server;
import org.bukkit.configuration.file.FileConfiguration;
import org.bukkit.entity.Player;
import org.bukkit.event.Listener;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.inventory.ItemStack;
import org.bukkit.inventory.PlayerInventory;
import org.bukkit.persistence.PersistentDataContainer;
import org.bukkit.persistence.PersistentDataType;
import org.bukkit.plugin.Plugin;
import org.bukkit.plugin.PluginManager;
import org.bukkit.scheduler.BukkitScheduler;

/**
 * A server with the plugin of the guide. Takes "join NAME" or "join NAME,NAME,…", "full NAME" (joins with a full inventory), "quit NAME", "vote NAME" and "stop" as lines.
 * Items and plugin data of a player are saved in one file, as Minecraft does. CRASH=give, save and saved end the process
 * before a reward, before the data of the player is saved, and after that.
 */
public final class Harness implements Server {
    private final ExecutorService gameThread = Executors.newSingleThreadExecutor();
    private final Map<String, FakePlayer> players = new ConcurrentHashMap<>();
    private static final String CRASH = System.getenv().getOrDefault("CRASH", "");

    public static void main(String[] arguments) throws Exception {
        Harness server = new Harness();
        VoteRewards plugin = new VoteRewards();
        plugin.harnessInit(server, new File("plugin"), new Config());
        plugin.onEnable();
        System.out.println("enabled");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null && !line.equals("stop"); line = lines.readLine()) {
            String[] words = line.split(" ");
            server.gameThread.submit(() -> server.command(plugin, words[0], words[1])).get();
        }
        plugin.onDisable();
        server.gameThread.shutdown();
    }

    private Void command(VoteRewards plugin, String verb, String name) throws IOException {
        switch (verb) {
            case "join", "full" -> {
                for (String each : name.split(",")) {
                    players.put(each, new FakePlayer(each, verb.equals("full")));
                    plugin.onJoin(new PlayerJoinEvent(players.get(each), ""));
                }
            }
            case "quit" -> {
                plugin.onQuit(new PlayerQuitEvent(players.get(name), ""));
                players.remove(name).saveData();
            }
            case "vote" -> plugin.onCommand(players.get(name), null, "vote", new String[0]);
            default -> throw new IOException(verb);
        }
        return null;
    }

    @Override public Collection<? extends Player> getOnlinePlayers() { return players.values(); }
    @Override public Player getPlayerExact(String name) { return players.get(name); }
    @Override public PluginManager getPluginManager() { return (Listener listener, Plugin plugin) -> {}; }

    @Override public BukkitScheduler getScheduler() {
        return new BukkitScheduler() {
            @Override public <T> Future<T> callSyncMethod(Plugin plugin, Callable<T> task) {
                return gameThread.submit(() -> {
                    if (CRASH.equals("give")) Runtime.getRuntime().halt(9);
                    return task.call();
                });
            }
        };
    }

    private static final class Config extends FileConfiguration {
        @Override public String getString(String path) {
            return System.getenv(Map.of("url", "VOTARY_URL", "api-key", "VOTARY_API_KEY", "guild-id", "GUILD_ID").get(path));
        }
    }

    private static final class FakePlayer implements Player, PlayerInventory, PersistentDataContainer {
        private final String name;
        private final boolean isFull;
        private final Path file;
        private final Properties saved = new Properties();

        FakePlayer(String name, boolean isFull) throws IOException {
            this.name = name;
            this.isFull = isFull;
            file = Path.of(name + ".dat");
            if (Files.exists(file)) {
                try (Reader reader = Files.newBufferedReader(file)) {
                    saved.load(reader);
                }
            }
        }

        @Override public String getName() { return name; }
        @Override public void sendMessage(String message) { System.out.println(name + ": " + message); }
        @Override public PlayerInventory getInventory() { return this; }
        @Override public int firstEmpty() {
            if (isFull) System.out.println(name + " has no room");
            return isFull ? -1 : 0;
        }
        @Override public PersistentDataContainer getPersistentDataContainer() { return this; }

        @Override public HashMap<Integer, ItemStack> addItem(ItemStack... items) {
            int diamonds = Integer.parseInt(saved.getProperty("diamonds", "0"));
            for (ItemStack item : items) diamonds += item.getAmount();
            saved.setProperty("diamonds", String.valueOf(diamonds));
            return new HashMap<>();
        }

        @Override public <P, C> void set(NamespacedKey key, PersistentDataType<P, C> type, C value) {
            saved.setProperty(key.toString(), (String) value);
        }

        @SuppressWarnings("unchecked")
        @Override public <P, C> C getOrDefault(NamespacedKey key, PersistentDataType<P, C> type, C defaultValue) {
            return (C) saved.getProperty(key.toString(), (String) defaultValue);
        }

        @Override public void saveData() {
            if (CRASH.equals("save")) Runtime.getRuntime().halt(9);
            try (Writer writer = Files.newBufferedWriter(file)) {
                saved.store(writer, null);
            } catch (IOException fault) {
                throw new IllegalStateException(fault);
            }
            System.out.println(name + " has " + saved.getProperty("diamonds", "0") + " diamonds");
            if (CRASH.equals("saved")) Runtime.getRuntime().halt(9);
        }
    }
}
