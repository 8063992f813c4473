import type { FastifyRequest } from 'fastify';
import type { Person } from '../person.ts';

/** Somebody has to sign in first. A page leads there by itself; a form that was sent gets a page that says so. */
export class SignInRequired extends Error {
  constructor(options?: ErrorOptions) {
    super('sign-in required', options);
    this.name = 'SignInRequired';
  }
}

/** Who is signed in, for pages that are for nobody else: whoever is not is sent to sign in, and comes back. */
export function requirePerson(request: FastifyRequest): Person {
  if (!request.person) throw new SignInRequired();
  return request.person;
}
