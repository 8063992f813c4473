package io.github.votary.minecraft;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Gives stored rewards one after the other, on a thread of its own that writes the ledger; the commands run on the main thread.
 *
 * What a crash in the middle of a reward does:
 * - `when: online`: the id of the reward is saved in the file of the player, together with the inventory. If the file has the id, the
 *   reward is finished; if not, neither are its items saved, and it is given again.
 * - `when: now`: the reward is marked before its commands run, and one that is marked is never given again. It is in the log.
 */
final class RewardWorker {
    /** Runs on the main thread. */
    interface MainThread {
        void run(Runnable task);

        void runCommands(PendingReward reward);

        /** Returns false if the player is not online. */
        boolean rewardOnline(PendingReward reward);
    }

    private static final int PAUSE_AFTER_FAILURE_MS = 10_000;

    private final Ledger ledger;
    private final Set<String> online;
    private final MainThread main;
    private final Consumer<String> log;
    private final Semaphore work = new Semaphore(1);
    private final Thread thread = VoteFollower.daemon(this::workForever, "votary-rewards");

    RewardWorker(Ledger ledger, Set<String> online, MainThread main, Consumer<String> log) {
        this.ledger = ledger;
        this.online = online;
        this.main = main;
        this.log = log;
    }

    void start() {
        thread.start();
    }

    /** There are new rewards, or a player has joined. */
    void wake() {
        work.release();
    }

    /** Called on the main thread, so no command is running; one that has not begun is kept for the next start. */
    void stop() {
        thread.interrupt();
        try {
            thread.join(5000);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void workForever() {
        try {
            reportInterrupted();
            while (true) {
                work.acquire();
                work.drainPermits();
                try {
                    for (PendingReward next = next(); next != null; next = next()) {
                        give(next);
                    }
                } catch (IOException | RuntimeException failure) {
                    log.accept("rewards wait for " + PAUSE_AFTER_FAILURE_MS / 1000 + " s: " + failure);
                    work.release();
                    Thread.sleep(PAUSE_AFTER_FAILURE_MS);
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private PendingReward next() {
        return ledger.next(online::contains);
    }

    private void reportInterrupted() {
        try {
            for (PendingReward reward : ledger.takeInterrupted()) {
                log.accept("the server stopped while this reward was given, so it is not repeated; run the commands by hand if they had no effect: "
                        + reward.filledCommands());
            }
        } catch (IOException failure) {
            log.accept("the ledger cannot be written: " + failure);
        }
    }

    private void give(PendingReward reward) throws IOException, InterruptedException {
        if (reward.when() == Reward.When.ONLINE) {
            if (callMain(() -> main.rewardOnline(reward))) {
                ledger.finish(reward);
            } else {
                online.remove(reward.player());
            }
            return;
        }
        ledger.setStarted(reward, true);
        try {
            callMain(() -> {
                main.runCommands(reward);
                return true;
            });
        } catch (InterruptedException notBegun) {
            ledger.setStarted(reward, false);
            throw notBegun;
        }
        ledger.finish(reward);
    }

    private interface Task {
        boolean run();
    }

    /** Throws InterruptedException only if the task has not begun, and then it never will. */
    private boolean callMain(Task task) throws InterruptedException {
        AtomicBoolean isTaken = new AtomicBoolean();
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        schedule(() -> {
            if (isTaken.compareAndSet(false, true)) {
                try {
                    result.complete(task.run());
                } catch (RuntimeException | Error failure) {
                    result.completeExceptionally(failure);
                }
            }
        });
        boolean isInterrupted = false;
        while (true) {
            try {
                boolean value = result.get();
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
                return value;
            } catch (InterruptedException interrupted) {
                if (isTaken.compareAndSet(false, true)) {
                    throw interrupted;
                }
                isInterrupted = true;
            } catch (ExecutionException failure) {
                throw new IllegalStateException(failure.getCause());
            }
        }
    }

    /** Bukkit refuses tasks of a plugin that is being disabled. */
    private void schedule(Runnable task) throws InterruptedException {
        try {
            main.run(task);
        } catch (RuntimeException disabled) {
            throw new InterruptedException(disabled.getMessage());
        }
    }
}
