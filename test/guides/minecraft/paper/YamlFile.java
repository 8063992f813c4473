import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bukkit.configuration.file.FileConfiguration;

/** As much YAML as config.yml of the plugin uses: maps and lists in blocks, scalars with or without single quotes, and comments on their own lines. */
final class YamlFile extends FileConfiguration {
    private final List<String> lines = new ArrayList<>();
    private final Map<?, ?> values;
    private int at = 0;

    YamlFile(Path path) {
        try {
            for (String line : Files.readAllLines(path)) {
                if (!line.isBlank() && !line.strip().startsWith("#")) lines.add(line);
            }
        } catch (IOException fault) {
            throw new IllegalStateException(fault);
        }
        values = lines.isEmpty() ? Map.of() : map(0);
    }

    @Override public String getString(String path) {
        return values.get(path) == null ? null : String.valueOf(values.get(path));
    }

    @Override public int getInt(String path) {
        return values.get(path) instanceof Integer number ? number : 0;
    }

    @Override public List<Map<?, ?>> getMapList(String path) {
        List<Map<?, ?>> maps = new ArrayList<>();
        if (values.get(path) instanceof List<?> list) {
            for (Object entry : list) maps.add((Map<?, ?>) entry);
        }
        return maps;
    }

    private Map<String, Object> map(int indent) {
        Map<String, Object> map = new LinkedHashMap<>();
        while (at < lines.size() && indentOf(at) == indent && !isEntry(at)) {
            String[] parts = lines.get(at).strip().split(":(?: |$)", 2);
            at++;
            boolean isNested = parts[1].isBlank() && at < lines.size() && (indentOf(at) > indent || isEntry(at));
            map.put(parts[0], isNested ? nested() : scalar(parts[1].strip()));
        }
        return map;
    }

    private Object nested() {
        return isEntry(at) ? list(indentOf(at)) : map(indentOf(at));
    }

    private List<Object> list(int indent) {
        List<Object> list = new ArrayList<>();
        while (at < lines.size() && indentOf(at) == indent && isEntry(at)) {
            String rest = lines.get(at).strip().substring(2);
            if (!rest.startsWith("'") && rest.matches("[a-z-]+:( .*)?")) {
                lines.set(at, " ".repeat(indent + 2) + rest);
                list.add(map(indent + 2));
            } else {
                list.add(scalar(rest));
                at++;
            }
        }
        return list;
    }

    private boolean isEntry(int index) {
        return lines.get(index).strip().startsWith("- ");
    }

    private int indentOf(int index) {
        return lines.get(index).length() - lines.get(index).stripLeading().length();
    }

    private static Object scalar(String text) {
        if (text.matches("'.*'")) return text.substring(1, text.length() - 1).replace("''", "'");
        return text.matches("\\d+") ? (Object) Integer.valueOf(text) : text;
    }
}
