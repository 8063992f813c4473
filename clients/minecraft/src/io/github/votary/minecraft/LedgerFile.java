package io.github.votary.minecraft;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Lines of fields, separated by tabs, that are replaced together: after a crash the file has the old lines or the new ones. */
final class LedgerFile {
    private static final String HEADER = "votary-ledger 1";
    private static final String END = "end";

    private final Path path;

    LedgerFile(Path path) {
        this.path = path;
    }

    /** No lines if there is no file yet. A file that somebody has damaged is never replaced by an empty one. */
    List<List<String>> read() throws IOException {
        if (!Files.exists(path)) {
            return List.of();
        }
        List<String> lines = Files.readAllLines(path);
        if (lines.size() < 2 || !lines.get(0).equals(HEADER) || !lines.get(lines.size() - 1).equals(END)) {
            throw new IOException(path + " is damaged, or of a newer version: restore it from a backup, or remove it to start with the next vote");
        }
        List<List<String>> fields = new ArrayList<>();
        for (String line : lines.subList(1, lines.size() - 1)) {
            List<String> entry = new ArrayList<>();
            for (String field : line.split("\t", -1)) {
                entry.add(unescape(field));
            }
            fields.add(entry);
        }
        return fields;
    }

    void write(List<List<String>> lines) throws IOException {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        for (List<String> line : lines) {
            text.append(String.join("\t", line.stream().map(LedgerFile::escape).toList())).append('\n');
        }
        text.append(END).append('\n');
        Path next = path.resolveSibling(path.getFileName() + ".new");
        Files.createDirectories(path.toAbsolutePath().getParent());
        // Not a FileChannel: it does not write when the thread was interrupted, as it is when the server stops.
        try (FileOutputStream output = new FileOutputStream(next.toFile())) {
            output.write(text.toString().getBytes(StandardCharsets.UTF_8));
            output.getFD().sync();
        }
        Files.move(next, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        syncFolder();
    }

    /** A new name in a folder survives a power failure only after this. Windows has no such call. */
    private void syncFolder() {
        try (FileChannel folder = FileChannel.open(path.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        } catch (IOException unsupported) {
            // The rename itself is still atomic.
        }
    }

    private static String escape(String field) {
        return field.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
    }

    private static String unescape(String field) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            char next = field.charAt(i);
            if (next != '\\' || i + 1 == field.length()) {
                text.append(next);
                continue;
            }
            char escaped = field.charAt(++i);
            text.append(escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped);
        }
        return text.toString();
    }
}
