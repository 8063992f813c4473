import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openWithDiscord, personOf, signInByDiscord } from './support.ts';

describe('the profile of a user who signs in', () => {
  it('is stored with its name and picture, and replaced at the next sign-in', async (t) => {
    const { visitor, discord, store } = await openWithDiscord(t);
    const userId = discord.person.id;
    const stored = async () => (await store.users.find([userId])).get(userId);
    await signInByDiscord(visitor());
    assert.deepEqual(await stored(), { userId, name: 'Mona', avatar: null, showName: false });
    const avatar = `a_${'0f'.repeat(16)}`;
    discord.person = { ...discord.person, global_name: 'Mona\u202e\0<b>', avatar };
    await signInByDiscord(visitor());
    assert.deepEqual(await stored(), { userId, name: 'Mona <b>', avatar, showName: false });
    for (const strange of ['../../evil', 7, {}]) {
      discord.person = { ...discord.person, avatar: strange };
      await signInByDiscord(visitor());
      assert.equal((await stored())?.avatar, null);
    }
  });

  it('is not required to sign in', async (t) => {
    const { visitor, store } = await openWithDiscord(t);
    t.mock.method(store.users, 'remember', async () => {
      throw new Error('the disk is full');
    });
    const mona = visitor();
    await signInByDiscord(mona);
    assert.deepEqual(personOf(await mona.get('/probe')), { userId: '200000000000000500', name: 'Mona' });
  });
});
