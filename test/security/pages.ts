/** Every HTML page that the routes of the access table return, to a visitor, a voter and an admin. */
import { addressOf, rowsOf } from './access/access-table.ts';
import { type Fixture, ownToken } from './fixture.ts';

export type FoundPage = { name: string; route: string; text: string };

export async function* everyPage(fixture: Fixture): AsyncGenerator<FoundPage> {
  for (const row of rowsOf('demo')) {
    if (row.route.endsWith(' /sign-out') || row.begunIn) continue;
    const [method = ''] = row.route.split(' ');
    const community = await fixture.newCommunity();
    await row.prepare?.(fixture.store, community);
    for (const caller of ['nobody', 'voter', 'admin'] as const) {
      const form = row.form && {
        ...row.form(community),
        _csrf: caller === 'nobody' ? '' : await ownToken(fixture.visitors[caller]),
      };
      const { text, status } = await fixture.send(caller, method, addressOf(row, community), form);
      if (text.startsWith('<!doctype html>'))
        yield { name: `${row.route} (${caller}, ${status})`, route: row.route, text };
    }
  }
}
