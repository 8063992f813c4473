import packageJson from '../../../package.json' with { type: 'json' };
import type { Config } from '../../config.ts';
import { isLoopbackHost } from '../../domain/address.ts';
import type { Clock } from '../../domain/clock.ts';
import { PageError } from '../errors/page-error.ts';
import { SignInRequired } from '../session.ts';
import { demoSignIn } from './demo-sign-in.ts';
import { discordSignIn } from './discord/discord-sign-in.ts';
import type { SignIn } from './sign-in.ts';

/** A site that was not told yet how people sign in: it can be read, and says what its operator has to do. */
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
  /** Whether the service was started with `--demo`. Nothing else turns demo sign-in on. */
  isDemo?: boolean;
};

/** Discord when it is configured; in the demo, demo people on a machine that only its user can reach; else nobody. */
export function chooseSignIn(config: Config, clock: Clock, { isDemo = false }: SignInChoice = {}): SignIn {
  const { discord, discordApi, publicUrl } = config;
  if (discord) {
    // Discord asks every program to say what it is, in this form.
    const userAgent = `DiscordBot (${publicUrl ?? 'self-hosted Votary'}, ${packageJson.version})`;
    return discordSignIn({ ...discord, api: discordApi, publicUrl, clock, userAgent });
  }
  return isDemo && isOwnMachine(config) ? demoSignIn({ clock }) : missingSignIn();
}

/** A proxy in front, or a public address, brings strangers in even though we listen on this machine only. */
function isOwnMachine({ host, trustedProxies, publicUrl }: Config): boolean {
  const isPublished = publicUrl !== null && !isLoopbackHost(new URL(publicUrl).hostname);
  return isLoopbackHost(host) && trustedProxies === null && !isPublished;
}
