import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bukkit.Material;
import org.bukkit.NamespacedKey;
import org.bukkit.Server;
import org.bukkit.command.Command;
import org.bukkit.command.CommandException;
import org.bukkit.command.CommandSender;
import org.bukkit.command.ConsoleCommandSender;
import org.bukkit.configuration.file.FileConfiguration;
import org.bukkit.entity.Player;
import org.bukkit.event.EventHandler;
import org.bukkit.event.Listener;
import org.bukkit.event.player.PlayerEvent;
import org.bukkit.event.player.PlayerJoinEvent;
import org.bukkit.event.player.PlayerQuitEvent;
import org.bukkit.inventory.ItemStack;
import org.bukkit.inventory.PlayerInventory;
import org.bukkit.persistence.PersistentDataContainer;
import org.bukkit.persistence.PersistentDataType;
import org.bukkit.plugin.Plugin;
import org.bukkit.plugin.PluginManager;
import org.bukkit.plugin.java.JavaPlugin;
import org.bukkit.scheduler.BukkitScheduler;
import org.bukkit.scheduler.BukkitTask;

/**
 * A server with the plugin whose class is the argument. Takes "join NAME" or "join NAME,NAME,…", "full NAME" (joins with a full inventory), "quit NAME",
 * "vote NAME", "votary WORD" (as the console) and "stop" as lines. Items and plugin data of a player are saved in one file, as Minecraft does. Console
 * commands are appended to console.txt. CRASH=give, save and saved end the process before a task of the plugin, before the data of a player is
 * saved, and after that; command ends it before the first console command, and commanded after it.
 */
public final class Harness implements Server, ConsoleCommandSender {
    private static final String CRASH = System.getenv().getOrDefault("CRASH", "");
    private static final Path CONSOLE = Path.of("console.txt");

    private final ExecutorService gameThread = Executors.newSingleThreadExecutor(task -> new Thread(task, "main"));
    private final Map<String, FakePlayer> players = new ConcurrentHashMap<>();
    private Listener listener;

    public static void main(String[] arguments) throws Exception {
        Harness server = new Harness();
        JavaPlugin plugin = (JavaPlugin) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        plugin.harnessInit(server, new File("plugin"), Harness::readConfig);
        server.gameThread.submit(plugin::onEnable).get();
        System.out.println("enabled");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null && !line.equals("stop"); line = lines.readLine()) {
            String[] words = line.split(" ");
            server.gameThread.submit(() -> server.command(plugin, words[0], words[1])).get();
        }
        server.gameThread.submit(plugin::onDisable).get();
        server.gameThread.shutdown();
    }

    private static FileConfiguration readConfig() {
        return Files.exists(Path.of("plugin/config.yml")) ? new YamlFile(Path.of("plugin/config.yml")) : new Variables();
    }

    private Void command(JavaPlugin plugin, String verb, String word) throws Exception {
        switch (verb) {
            case "join", "full" -> {
                for (String each : word.split(",")) {
                    players.put(each, new FakePlayer(each, verb.equals("full")));
                    announce(new PlayerJoinEvent(players.get(each), ""));
                }
            }
            case "quit" -> {
                announce(new PlayerQuitEvent(players.get(word), ""));
                players.remove(word).saveData();
            }
            case "vote" -> plugin.onCommand(players.get(word), new NamedCommand("vote"), "vote", new String[0]);
            case "votary" -> plugin.onCommand(this, new NamedCommand("votary"), "votary", new String[] {word});
            default -> throw new IOException(verb);
        }
        return null;
    }

    private void announce(PlayerEvent event) throws Exception {
        for (Method method : listener.getClass().getMethods()) {
            boolean isHandler = method.isAnnotationPresent(EventHandler.class);
            if (isHandler && method.getParameterTypes()[0] == event.getClass()) method.invoke(listener, event);
        }
    }

    @Override public Collection<? extends Player> getOnlinePlayers() { return players.values(); }

    /** Bukkit ignores the case here. */
    @Override public Player getPlayerExact(String name) {
        requireMainThread();
        return players.values().stream().filter(player -> player.name.equalsIgnoreCase(name)).findFirst().orElse(null);
    }

    @Override public PluginManager getPluginManager() { return (Listener listener, Plugin plugin) -> this.listener = listener; }
    @Override public ConsoleCommandSender getConsoleSender() { return this; }
    @Override public String getName() { return "CONSOLE"; }
    @Override public void sendMessage(String message) { System.out.println("CONSOLE: " + message); }

    /** Knows "give NAME diamond N"; others only appear on the console. "fail" throws, and "unknown" is no command. */
    @Override public boolean dispatchCommand(CommandSender sender, String line) throws CommandException {
        requireMainThread();
        if (CRASH.equals("command")) Runtime.getRuntime().halt(9);
        System.out.println("console> " + line);
        try {
            Files.writeString(CONSOLE, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException fault) {
            throw new IllegalStateException(fault);
        }
        if (CRASH.equals("commanded")) Runtime.getRuntime().halt(9);
        String[] words = line.split(" ");
        if (words[0].equals("fail")) throw new CommandException("it failed");
        if (words[0].equals("give") && getPlayerExact(words[1]) != null) {
            getPlayerExact(words[1]).getInventory().addItem(new ItemStack(Material.DIAMOND, Integer.parseInt(words[3])));
        }
        return !words[0].equals("unknown");
    }

    private static void requireMainThread() {
        if (!Thread.currentThread().getName().equals("main")) throw new IllegalStateException("not on the main thread");
    }

    @Override public BukkitScheduler getScheduler() {
        return new BukkitScheduler() {
            @Override public <T> Future<T> callSyncMethod(Plugin plugin, Callable<T> task) {
                return gameThread.submit(() -> {
                    if (CRASH.equals("give")) Runtime.getRuntime().halt(9);
                    return task.call();
                });
            }
            @Override public BukkitTask runTask(Plugin plugin, Runnable task) {
                callSyncMethod(plugin, Executors.callable(task));
                return new BukkitTask() {};
            }
        };
    }

    private static final class NamedCommand extends Command {
        NamedCommand(String name) { super(name); }
    }

    /** The settings of the guide, from variables of the environment. */
    private static final class Variables extends FileConfiguration {
        @Override public String getString(String path) {
            if (path.equals("consumer")) return "survival";
            return System.getenv(Map.of("url", "VOTARY_URL", "api-key", "VOTARY_API_KEY", "guild-id", "GUILD_ID").get(path));
        }
        @Override public int getInt(String path) { return 0; }
        @Override public List<Map<?, ?>> getMapList(String path) { return List.of(); }
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
