/** The child process of crash.ci.test.ts: sends reminders until it is killed. */
import { createReminderSender } from '../../src/discord/direct-message.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { ReminderWorker } from '../../src/reminders/worker.ts';
import { openStore } from '../../src/store/open.ts';

const { database, api, botToken, now } = JSON.parse(process.env.TASK ?? '');

const store = await openStore(database);
const logger = { info: () => undefined, error: () => undefined };
const siteUrl = 'https://votes.example.org';
const startedAt = Date.now();
const clock = () => now + Date.now() - startedAt;
const rest = createDiscordRest({ api, botToken, userAgent: 'DiscordBot (a test, 0.0.0)', clock });
const send = createReminderSender(rest, siteUrl);
new ReminderWorker({ store, send, logger, clock }).start();
