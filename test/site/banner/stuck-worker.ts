/** Never finishes. */
for (;;);
