import type { Config } from '../../config.ts';
import { isOwnMachine } from '../../demo.ts';
import { discordUserAgent } from '../../discord/user-agent.ts';
import type { Clock } from '../../domain/clock.ts';
import { demoSignIn } from './demo-sign-in.ts';
import { type DiscordOptions, discordSignIn } from './discord-sign-in.ts';
import { missingSignIn, type SignIn } from './sign-in.ts';

export type SignInChoice = {
  /** Whether the service was started with `--demo`. Nothing else enables demo sign-in. */
  isDemo?: boolean;
  onAdminGuilds?: DiscordOptions['onAdminGuilds'];
};

/** Discord if configured; in the demo, demo users on a machine that only its user can reach; otherwise none. */
export function chooseSignIn(config: Config, clock: Clock, choice: SignInChoice = {}): SignIn {
  const { isDemo = false, onAdminGuilds = () => {} } = choice;
  const { discord, discordApi, publicUrl } = config;
  if (discord) {
    const userAgent = discordUserAgent(config);
    return discordSignIn({ ...discord, api: discordApi, publicUrl, clock, userAgent, onAdminGuilds });
  }
  return isDemo && isOwnMachine(config) ? demoSignIn() : missingSignIn();
}
