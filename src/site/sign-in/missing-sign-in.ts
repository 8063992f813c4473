import { PageError } from '../page-error.ts';
import { SignInRequired } from './require-person.ts';
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
  };
}
