package io.github.votary.minecraft;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON into maps, lists, strings, doubles, booleans and null. */
final class Json {
    private static final int MAX_DEPTH = 20;

    private final String text;
    private int at = 0;

    private Json(String text) {
        this.text = text;
    }

    /** The object in the text, or null if the text is not a JSON object, such as the error page of a proxy. */
    static Map<?, ?> readObject(String text) {
        try {
            Json json = new Json(text);
            Object value = json.value(0);
            json.skipSpace();
            return value instanceof Map<?, ?> map && json.at == text.length() ? map : null;
        } catch (IllegalArgumentException | IndexOutOfBoundsException malformed) {
            return null;
        }
    }

    static String string(Map<?, ?> object, String name) {
        return object.get(name) instanceof String text ? text : null;
    }

    static int integer(Map<?, ?> object, String name, int otherwise) {
        return object.get(name) instanceof Double number ? number.intValue() : otherwise;
    }

    static List<Map<?, ?>> objects(Map<?, ?> object, String name) {
        List<Map<?, ?>> found = new ArrayList<>();
        if (object.get(name) instanceof List<?> list) {
            for (Object entry : list) {
                if (entry instanceof Map<?, ?> map) {
                    found.add(map);
                }
            }
        }
        return found;
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("nested too deeply");
        }
        skipSpace();
        switch (text.charAt(at)) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            default:
                return literal();
        }
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> members = new LinkedHashMap<>();
        at++;
        if (accept('}')) {
            return members;
        }
        do {
            skipSpace();
            String name = string();
            expect(':');
            members.put(name, value(depth + 1));
        } while (accept(','));
        expect('}');
        return members;
    }

    private List<Object> array(int depth) {
        List<Object> entries = new ArrayList<>();
        at++;
        if (accept(']')) {
            return entries;
        }
        do {
            entries.add(value(depth + 1));
        } while (accept(','));
        expect(']');
        return entries;
    }

    private String string() {
        expect('"');
        StringBuilder read = new StringBuilder();
        for (char next = text.charAt(at++); next != '"'; next = text.charAt(at++)) {
            read.append(next == '\\' ? escaped() : next);
        }
        return read.toString();
    }

    private char escaped() {
        char escape = text.charAt(at++);
        switch (escape) {
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            default:
                return escape;
        }
    }

    private Object literal() {
        int start = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        switch (word) {
            case "true":
                return true;
            case "false":
                return false;
            case "null":
                return null;
            default:
                return Double.valueOf(word);
        }
    }

    private boolean accept(char expected) {
        skipSpace();
        if (text.charAt(at) != expected) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char expected) {
        if (!accept(expected)) {
            throw new IllegalArgumentException("expected " + expected + " at " + at);
        }
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }
}
