import packageJson from '../../../package.json' with { type: 'json' };
import type { Config } from '../../config.ts';
import { isLoopbackHost } from '../../domain/address.ts';
import type { Clock } from '../../domain/clock.ts';
import { PageError } from '../errors/page-error.ts';
import { SignInRequired } from '../session.ts';
import { demoSignIn } from './demo-sign-in.ts';
import { type DiscordOptions, discordSignIn } from './discord-sign-in.ts';
import type { SignIn } from './sign-in.ts';

/** Sign-in is not configured: pages can be read and tell the operator what to do. */
export function missingSignIn(): SignIn {
  return {
    isDemo: false,
    isConfigured: false,
    origin: null,
    routes(app) {
      app.get('/sign-in', async () => {
        throw new PageError('SIGN_IN_NOT_CONFIGURED');
      });
    },
    adminGuilds: async () => {
      throw new SignInRequired();
    },
    isMember: async () => 'unknown',
  };
}

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
  return isDemo && isOwnMachine(config) ? demoSignIn({ clock }) : missingSignIn();
}

/** In the format that Discord requires. */
export function discordUserAgent({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return `DiscordBot (${publicUrl ?? 'self-hosted Votary'}, ${packageJson.version})`;
}

/** A proxy or a public URL makes the service reachable for others, even if it listens on loopback only. */
function isOwnMachine({ host, trustedProxies, publicUrl }: Config): boolean {
  const isPublished = publicUrl !== null && !isLoopbackHost(new URL(publicUrl).hostname);
  return isLoopbackHost(host) && trustedProxies === null && !isPublished;
}
